import type { AppError } from '../errors.ts';
import type { Log } from './log.ts';

/** How long a reason may not occur before it is over, in milliseconds. Beyond it: the log names the reason again. */
const OVER_MS = 60_000;

/**
 * Returns a function that logs why calls are answered with `unavailable`: one line when a reason begins to occur. To
 * refuse a call is no error of this process, and the metrics and the lines of the requests show how many are refused.
 */
export function unavailableLog(log: Log): (error: AppError, seen: Record<string, unknown>) => void {
    /** When each reason occurred last, by `performance.now()`. */
    const occurred = new Map<string, number>();
    return ({ kind, reason = kind, cause }, seen) => {
        const now = performance.now();
        const before = occurred.get(reason) ?? Number.NEGATIVE_INFINITY;
        occurred.set(reason, now);
        if (now - before < OVER_MS) return;
        log.warn({ reason, ...(cause !== undefined && { err: cause }), ...seen }, 'calls are answered as unavailable');
    };
}
