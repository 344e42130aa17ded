import type { Outcome } from '../sender/sender.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** When a delivery is attempted, in milliseconds since its first attempt. After the last one it has failed for good. */
export const ATTEMPTS_AT_MS: readonly number[] = [
    0,
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
];

/** For how long a webhook may fail without a success, in milliseconds. Beyond it: it is paused. */
export const PAUSED_AFTER_MS = 5 * DAY;
/** Longest time that a webhook can ask to wait (Retry-After), in milliseconds. Beyond it: it waits for this time. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** How long nothing is sent to a webhook after its first failure, in milliseconds. Each further failure doubles it. */
const BACK_OFF_MS = SECOND;
/** Longest time for which failures alone keep a webhook waiting, in milliseconds. Beyond it: it is tried again. */
const MAX_BACK_OFF_MS = MINUTE;
/** Statuses by which a webhook says that it has too much to do, as Standard Webhooks 1.0.0 names them. */
const OVERLOADED = [429, 502, 504];
/** How long nothing is sent to a webhook that has too much to do, in milliseconds, if it does not say how long. */
const OVERLOADED_MS = 5 * SECOND;

/** What an attempt means for the delivery and its webhook. */
export interface Verdict {
    kind: 'delivered' | 'rejected' | 'unreachable' | 'refused' | 'gone';
    status: number | null;
    reason: string | null;
    /** For how long nothing may be sent to the webhook, in milliseconds. */
    waitMs: number;
}

export function verdictOf(outcome: Outcome): Verdict {
    if (outcome.kind !== 'answered') {
        const kind = outcome.kind === 'refused' ? 'refused' : 'unreachable';
        return { kind, status: null, reason: outcome.reason, waitMs: 0 };
    }
    const { status, retryAfterMs = 0 } = outcome;
    if (status >= 200 && status < 300) return { kind: 'delivered', status, reason: null, waitMs: 0 };
    const leastMs = OVERLOADED.includes(status) ? OVERLOADED_MS : 0;
    const waitMs = Math.max(leastMs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
    if (status === 410) return { kind: 'gone', status, reason: 'The endpoint says that it is gone.', waitMs };
    const reason = status >= 300 && status < 400 ? 'A redirect is not followed.' : 'The endpoint refused the delivery.';
    return { kind: 'rejected', status, reason, waitMs };
}

/**
 * Returns when the next attempt is due, in milliseconds since 1970; undefined if the one that has just failed was the
 * last. `attempts`: how many there were, the first one at `beganAt`. One that is late does not run into its successor.
 */
export function nextAttempt(
    { attempts, beganAt, waitMs }: { attempts: number; beganAt: number; waitMs: number },
    now: number,
): number | undefined {
    const [first = 0, second = 0] = ATTEMPTS_AT_MS;
    const atMs = ATTEMPTS_AT_MS[attempts];
    return atMs === undefined ? undefined : Math.max(beganAt + atMs, now + waitMs, now + second - first);
}

/** Until when nothing is sent to a webhook that has failed `failures` times in a row. */
export function notBefore({ failures, waitMs }: { failures: number; waitMs: number }, now: number): number {
    const backOffMs = Math.min(BACK_OFF_MS * 2 ** Math.min(failures - 1, 16), MAX_BACK_OFF_MS);
    return now + Math.max(backOffMs, waitMs);
}
