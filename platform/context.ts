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

    /** Marks the call as cancelled and calls the listeners. Further calls have no effect. */
    cancel(): void {
        this.#isCancelled = true;
        const listeners = this.#listeners;
        this.#listeners = undefined;
        for (const listener of listeners ?? []) listener();
    }

    /**
     * Calls `listener` once: when the call is cancelled, or immediately if it already is. Returns a function that
     * removes the listener.
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

/**
 * Tells whether the answer of a call repeats the answer of an earlier call with the same Idempotency-Key. Like the
 * Cancellation, all copies of the call's context share it.
 */
interface ReplayNote {
    isReplay: boolean;
}

/**
 * The caller of a call, and how long its answer is useful. The gateway creates it, and all functions down to the store
 * get it as a parameter.
 */
export interface CallContext extends Context {
    /** Point in time on this process's monotonic clock (`performance.now()`), in milliseconds. */
    readonly deadline: number;
    readonly cancellation: Cancellation;
    /** Absent for a call without an Idempotency-Key. */
    readonly replay?: ReplayNote | undefined;
}

/** Who makes a call. A CallContext has all fields. */
export type Caller = Partial<
    Pick<CallContext, 'user_id' | 'key_id' | 'session_id' | 'trusted' | 'request_id' | 'address'>
>;

/**
 * When a queue must drop a waiting call, the call's place in a trace, and its caller. A CallContext has all fields. An
 * absent deadline or cancellation means never. The calls of a batch may have several callers, so a batch has none.
 */
export interface CallLifetime extends Traced, Caller {
    deadline?: number | undefined;
    cancellation?: Cancellation | undefined;
}

/** Time limit of a request, in milliseconds. Beyond it: `deadline`. */
export const REQUEST_TIMEOUT_MS = 10_000;
/**
 * Maximum duration of a call for an account, whatever its caller sets, in milliseconds. After that time no such call
 * stores anything any more. Beyond it: `deadline`.
 */
export const LONGEST_OF_ACCOUNT_MS = 30_000;
/** Maximum duration of any other call, in milliseconds. A batch of users may take that long. Beyond it: `deadline`. */
const LONGEST_MS = 120_000;
/** Subtracted from the deadline at each hop, in milliseconds, so that the caller can still say which hop was late. */
const HOP_MS = 20;
/** A call with less time left than this, in milliseconds, is not started. */
const LEAST_MS = 100;

/** Returns the time limit of a call whose caller has set this one, in milliseconds. */
export function limitOf(timeoutMs: number, { user_id }: Caller): number {
    return Math.min(timeoutMs, user_id === undefined ? LONGEST_MS : LONGEST_OF_ACCOUNT_MS);
}

/** Returns the time limit for a call to the next hop, in milliseconds; 0 if the deadline has passed. */
export function timeoutOfNextHop({ deadline }: CallContext): number {
    return Math.max(0, Math.floor(deadline - performance.now() - HOP_MS));
}

/**
 * Returns the error if a call should not be started now: `cancelled`, or `deadline` if it could not be answered in
 * time.
 */
export function reasonNotToStart(lifetime: CallLifetime): AppError | undefined {
    const { deadline = Number.POSITIVE_INFINITY, cancellation } = lifetime;
    if (cancellation?.isCancelled || deadline - performance.now() < LEAST_MS) return overError(lifetime);
    return undefined;
}

/** Throws the error of reasonNotToStart(), if there is one. */
export function requireTime(lifetime: CallLifetime): void {
    const reason = reasonNotToStart(lifetime);
    if (reason) throw reason;
}

/** True if the client has disconnected, or if an answer of the next hop could no longer be passed on in time. */
export function isOver({ deadline = Number.POSITIVE_INFINITY, cancellation }: CallLifetime, now: number): boolean {
    return cancellation?.isCancelled === true || deadline - HOP_MS <= now;
}

/** Returns the error of a call that has ended: `cancelled` if its client has disconnected, else `deadline`. */
export function overError({ cancellation }: CallLifetime): AppError {
    return cancellation?.isCancelled ? cancelled() : deadlineExceeded();
}

/** Throws `cancelled` if the client has disconnected. */
export function throwIfCancelled({ cancellation }: CallLifetime): void {
    if (cancellation?.isCancelled) throw cancelled();
}

/**
 * Returns a context for work that continues when the client disconnects, because other calls need its result, too. It
 * has a deadline of its own.
 */
export function detached(context: CallContext, timeoutMs: number): CallContext {
    return { ...context, deadline: performance.now() + timeoutMs, cancellation: new Cancellation() };
}

/** Adds the Idempotency-Key that a client has sent with a call. Without a key the context stays as it is. */
export function withIdempotencyKey(context: CallContext, key: string | undefined): CallContext {
    return key === undefined ? context : { ...context, idempotency_key: key, replay: { isReplay: false } };
}

/** Returns the context for a call to another service: the Idempotency-Key is meant for the called method only. */
export function withoutIdempotencyKey(context: CallContext): CallContext {
    if (context.idempotency_key === undefined) return context;
    const { idempotency_key: _, replay: __, ...rest } = context;
    return rest;
}

/** Creates a context for a call that a process makes on its own behalf. */
export function ownContext(): CallContext {
    return {
        request_id: newId(),
        trusted: true,
        deadline: performance.now() + REQUEST_TIMEOUT_MS,
        cancellation: new Cancellation(),
    };
}

/** Names the caller for queues in which callers take turns: its account or, if it has none, its address. */
export function callerOf({ user_id, address }: Caller): string {
    return user_id ?? address ?? '';
}

function cancelled(): AppError {
    return new AppError('cancelled', 'The client cancelled this call.');
}

export function deadlineExceeded(): AppError {
    return new AppError('deadline', 'The request took too long. Try again shortly.', { retry_after: 1 });
}

/** Returns the account that a call acts for. Throws `unauthenticated` if there is none. */
export function requireUser(context: CallContext): string {
    if (context.user_id === undefined) throw new AppError('unauthenticated', 'This operation requires an account.');
    return context.user_id;
}

/** Throws AppError `forbidden` unless the caller is trusted. */
export function requireTrusted({ trusted }: CallContext): void {
    if (!trusted) throw new AppError('forbidden', 'This is for trusted callers only.');
}
