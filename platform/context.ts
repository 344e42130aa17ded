import type { Context } from '../proto/gen/rpc/v1/frames.ts';
import { AppError } from './errors.ts';
import { newId } from './ids.ts';
import type { Traced } from './telemetry/span.ts';

/**
 * Tells whether the client of a call has disconnected. Each call that enters the process has one, and every context
 * that is derived from the call's context refers to the same one, so that a copy of a context cannot lose it.
 */
export class Cancellation {
    #isCancelled = false;
    #listeners: Set<() => void> | undefined;

    get isCancelled(): boolean {
        return this.#isCancelled;
    }

    /** Nobody waits for the answer any more. Further calls have no effect. */
    cancel(): void {
        this.#isCancelled = true;
        const listeners = this.#listeners;
        this.#listeners = undefined;
        for (const listener of listeners ?? []) listener();
    }

    /**
     * Calls `listener` once: when the call is cancelled, or at once if it already is. Returns a function that removes
     * the listener.
     */
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

/** Who makes a call, and until when its answer is useful. It is passed explicitly from the gateway to the store. */
export interface CallContext extends Context {
    /** On this process's monotonic clock (`performance.now()`), in milliseconds. */
    readonly deadline: number;
    readonly cancellation: Cancellation;
}

/** When a queue must drop a waiting call. A CallContext has both fields; an absent field means never. */
export interface CallLifetime extends Traced {
    deadline?: number | undefined;
    cancellation?: Cancellation | undefined;
}

/** Time limit of a request, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** Subtracted from the deadline at each hop, so that the caller can still say which hop was late. */
const HOP_MS = 20;
/** With less time left than this, a call is not started. */
const LEAST_MS = 100;

/** Time limit in milliseconds for a call to the next hop now; 0 if the time is over. */
export function timeoutOfNextHop({ deadline }: CallContext): number {
    return Math.max(0, Math.floor(deadline - performance.now() - HOP_MS));
}

/** Why a call should not be started now: `cancelled`, or `deadline` if it could not be answered in time. */
export function reasonNotToStart(lifetime: CallLifetime): AppError | undefined {
    const { deadline = Number.POSITIVE_INFINITY, cancellation } = lifetime;
    if (cancellation?.isCancelled || deadline - performance.now() < LEAST_MS) return overError(lifetime);
    return undefined;
}

/** Throws the reason why a call should not be started, if there is one. */
export function requireTime(lifetime: CallLifetime): void {
    const reason = reasonNotToStart(lifetime);
    if (reason) throw reason;
}

/** True if the client has disconnected, or if an answer of the next hop could not be passed on in time. */
export function isOver({ deadline = Number.POSITIVE_INFINITY, cancellation }: CallLifetime, now: number): boolean {
    return cancellation?.isCancelled === true || deadline - HOP_MS <= now;
}

/** The error of a call that has ended: `cancelled` if its client has disconnected, else `deadline`. */
export function overError({ cancellation }: CallLifetime): AppError {
    return cancellation?.isCancelled ? cancelled() : deadlineExceeded();
}

/** Throws `cancelled` if the client has disconnected. */
export function throwIfCancelled({ cancellation }: CallLifetime): void {
    if (cancellation?.isCancelled) throw cancelled();
}

/**
 * A context for work that continues when the client disconnects, because others need its result too. It has a deadline
 * of its own.
 */
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
    return new AppError('cancelled', 'The client cancelled this call.');
}

export function deadlineExceeded(): AppError {
    return new AppError('deadline', 'The request took too long. Try again shortly.', { retry_after: 1 });
}

/** The account that a call acts for. Throws if the call has none but needs one. */
export function requireUser(context: CallContext): string {
    if (context.user_id === undefined) throw new AppError('unauthenticated', 'This operation requires an account.');
    return context.user_id;
}
