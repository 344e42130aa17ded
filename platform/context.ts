import type { Context } from '../proto/gen/rpc/v1/frames.ts';
import { AppError } from './errors.ts';

/** On whose behalf a call is made, and until when its answer is of use. Passed explicitly from the gateway to the store. */
export interface CallContext extends Context {
    /** On this process' monotonic clock (`performance.now()`), in milliseconds. */
    deadline: number;
}

/** How long a request may take as a whole, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** Taken off the deadline at each hop, so that the caller can still say who was late. */
const HOP_MS = 20;
/** With less than this left there is no point in starting. */
const LEAST_MS = 100;

/** Milliseconds that the next hop may take if it is made now; 0 where its time is over. */
export function timeoutOfNextHop({ deadline }: CallContext): number {
    return Math.max(0, Math.floor(deadline - performance.now() - HOP_MS));
}

/** Throws `deadline` where a call could not be answered in time. */
export function requireTime({ deadline }: CallContext): void {
    if (isTooLate(deadline)) throw deadlineExceeded();
}

/** Whether it is too late to start on what must be done by then (`performance.now()`). */
export function isTooLate(deadline: number): boolean {
    return deadline - performance.now() < LEAST_MS;
}

/** Whether an answer to the next hop could not be passed on in time any more. */
export function isOverdue({ deadline }: CallContext, now: number): boolean {
    return deadline - HOP_MS <= now;
}

/** Nobody waits for the answer any more: the call is overdue from now on, wherever its deadline is looked at. */
export function abandon(context: CallContext): void {
    context.deadline = Number.NEGATIVE_INFINITY;
}

export function deadlineExceeded(): AppError {
    return new AppError('deadline', 'The request took too long. Try again shortly.', { retry_after: 1 });
}

/** The account that a call acts for; throws where there must be one and is none. */
export function requireUser(context: CallContext): string {
    if (context.user_id === undefined) throw new AppError('unauthenticated', 'This operation acts for an account.');
    return context.user_id;
}
