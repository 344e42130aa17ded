/** Windows that are remembered; more buckets than this at once are not told apart from new ones. */
const MAX_WINDOWS = 100_000;

interface Window {
    end: number;
    count: number;
}

/** Rate windows of this process alone: fixed, opened by the first call, as the limiter's. Times in ms since 1970. */
export function localWindows(window_ms: number) {
    const windows = new Map<string, Window>(); // in the order in which they end

    function forgetEnded(now: number): void {
        for (const [bucket, window] of windows) {
            if (window.end > now && windows.size <= MAX_WINDOWS) return;
            windows.delete(bucket);
        }
    }

    return {
        take(bucket: string, limit: number, now: number): { admitted: boolean; remaining: number; end: number } {
            forgetEnded(now);
            let window = windows.get(bucket);
            // One that ends later than if it began now is from before the clock was set back.
            if (!window || window.end > now + window_ms) {
                window = { end: now + window_ms, count: 0 };
                windows.delete(bucket); // a new one comes last
                windows.set(bucket, window);
            }
            const admitted = window.count < limit;
            if (admitted) window.count++;
            return { admitted, remaining: limit - window.count, end: window.end };
        },
    };
}
