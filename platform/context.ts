import type { Context } from '../proto/gen/rpc/v1/frames.ts';
import { AppError } from './errors.ts';
import { newId } from './ids.ts';
import type { Traced } from './tracing.ts';

/**
 * Whether a call's client has gone. Each call that enters the process has one, and every context that is derived from the
 * call's context refers to the same one: a copy of a context cannot lose it.
 */
export class Cancellation {
    #isCancelled = false;
    #listeners: Set<() => void> | undefined;

    get isCancelled(): boolean {
        return this.#isCancelled;
    }

    /** Nobody waits for the answer any more. A second call changes nothing. */
    cancel(): void {
        this.#isCancelled = true;
        const listeners = this.#listeners;
        this.#listeners = undefined;
        for (const listener of listeners ?? []) listener();
    }

    /** Calls `listener` once, when the call is cancelled, or at once where it has been. Returns a function that stops that. */
    onCancelled(listener: () => void): () => void {
        if (this.#isCancelled) {
            listener();
            return () => {};
        }
        this.#listeners ??= new Set();
        this.#listeners.add(listener);
        return () => void this.#listeners?.delete(listener);
    }
}

/** On whose behalf a call is made, and until when its answer is of use. Passed explicitly from the gateway to the store. */
export interface CallContext extends Context {
    /** On this process' monotonic clock (`performance.now()`), in milliseconds. */
    readonly deadline: number;
    readonly cancellation: Cancellation;
}

/** What a queue must know of a call that waits in it: a CallContext says all of it. What is absent never ends. */
export interface Patience extends Traced {
    deadline?: number | undefined;
    cancellation?: Cancellation | undefined;
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

/** Why there is no point in starting on a call now: `cancelled`, or `deadline` where it could not be answered in time. */
export function reasonNotToStart(patience: Patience): AppError | undefined {
    const { deadline = Number.POSITIVE_INFINITY, cancellation } = patience;
    if (cancellation?.isCancelled || deadline - performance.now() < LEAST_MS) return overError(patience);
    return undefined;
}

/** Throws the reason not to start on a call, if there is one. */
export function requireTime(patience: Patience): void {
    const reason = reasonNotToStart(patience);
    if (reason) throw reason;
}

/** Whether the client has gone, or an answer to the next hop could not be passed on in time any more. */
export function isOver({ deadline = Number.POSITIVE_INFINITY, cancellation }: Patience, now: number): boolean {
    return cancellation?.isCancelled === true || deadline - HOP_MS <= now;
}

/** What is said of a call that is over: `cancelled` where its client has gone, else `deadline`. */
export function overError({ cancellation }: Patience): AppError {
    return cancellation?.isCancelled ? cancelled() : deadlineExceeded();
}

/** Throws `cancelled` where the client has gone. */
export function throwIfCancelled({ cancellation }: Patience): void {
    if (cancellation?.isCancelled) throw cancelled();
}

/** The context of work that goes on when the client has gone, since others need its result too; it has its own time. */
export function detached(context: CallContext, timeout_ms: number): CallContext {
    return { ...context, deadline: performance.now() + timeout_ms, cancellation: new Cancellation() };
}

/** The context of a call that a process makes for itself. */
export function ownContext(): CallContext {
    return {
        request_id: newId(),
        trusted: true,
        deadline: performance.now() + REQUEST_TIMEOUT_MS,
        cancellation: new Cancellation(),
    };
}

function cancelled(): AppError {
    return new AppError('cancelled', 'The client has given up this call.');
}

export function deadlineExceeded(): AppError {
    return new AppError('deadline', 'The request took too long. Try again shortly.', { retry_after: 1 });
}

/** The account that a call acts for; throws where there must be one and is none. */
export function requireUser(context: CallContext): string {
    if (context.user_id === undefined) throw new AppError('unauthenticated', 'This operation acts for an account.');
    return context.user_id;
}
