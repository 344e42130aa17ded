import { AppError } from '../errors.ts';

export const STATES = ['admitted', 'limited', 'refused', 'unconfirmed'] as const;
type State = (typeof STATES)[number];

/** What the limiter needs to know about one call, or about all calls that a batch counts as. */
export interface LimitRequest {
    /** Redis key of the bucket that the call counts in. */
    bucket: string;
    /** Redis key of the liveness mark. Absent if the call has no key or session, or if the owning service counts it. */
    mark?: string;
    tag: string;
    /** Version of the key that the caller knows; 0 if absent. The liveness mark of another version is void. */
    version?: number;
    /** Calls per window. */
    limit: number;
    /** How many calls it counts as; 1 if absent. 0 looks without a trace. A negative weight gives back what was counted. */
    weight?: number;
    /** The tier that the limit belongs to; absent for the limit of an address. */
    tier?: string;
}

export interface Decision {
    /** `unreachable`: Redis did not decide. Ask the owner whether the caller is active, then call `takeLocally`. */
    state: State | 'unreachable';
    limit: number;
    remaining: number;
    /** Length of the window in seconds. */
    window: number;
    /** Unix time in whole seconds. */
    reset: number;
    /** Whole seconds until the reset, at least 1. */
    wait: number;
}

/** `now` and `end` (of the window) are milliseconds since 1970. */
export function decisionOf(
    state: State,
    counted: { limit: number; remaining: number; windowMs: number; end: number; now: number },
): Decision {
    const { limit, remaining, windowMs, end, now } = counted;
    const wait = Math.max(1, Math.ceil((end - now) / 1_000));
    return { state, limit, remaining, window: windowMs / 1_000, reset: Math.ceil(end / 1_000), wait };
}

export const tryAgainIn = (seconds: number): string =>
    `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;

/** The refusal of a call over its limit (decision A14). */
export function limitExceeded({ limit, window, wait }: Decision): AppError {
    const text = `Limit of ${limit} requests per ${unitOf(window)} exceeded. ${tryAgainIn(wait)}`;
    return new AppError('rate_limited', text, { retry_after: wait });
}

function unitOf(seconds: number): string {
    if (seconds === 60) return 'minute';
    return seconds === 1 ? 'second' : `${seconds} seconds`;
}
