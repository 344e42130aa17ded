import { createCache } from '../cache.ts';

/** Maximum number of windows that are kept. Beyond it: the buckets that were not used for longest start again. */
const MAX_WINDOWS = 100_000;

interface Window {
    end: number;
    count: number;
}

/** Rate windows of this process alone: fixed, opened by the first call, like the limiter's. Times in ms since 1970. */
export function localWindows(windowMs: number) {
    const windows = createCache<string, Window>(MAX_WINDOWS);
    return {
        /** `weight`: how many calls it counts as. 0 looks, a negative one gives back; neither opens a window. */
        take(
            bucket: string,
            limit: number,
            now: number,
            weight = 1,
        ): { admitted: boolean; remaining: number; end: number } {
            let window = windows.get(bucket);
            // A window that ends later than a new one would is from before the clock was set back.
            if (!window || window.end <= now || window.end > now + windowMs) {
                window = { end: now + windowMs, count: 0 };
                if (weight > 0) windows.set(bucket, window);
            }
            const admitted = weight <= 0 || window.count + weight <= limit;
            if (admitted) window.count = Math.max(window.count + weight, 0);
            return { admitted, remaining: Math.max(limit - window.count, 0), end: window.end };
        },
    };
}
