import { type CallContext, overError, reasonNotToStart, requireTime } from '../context.ts';
import type { AppError } from '../errors.ts';
import { overloaded } from '../gather.ts';
import { queueStats } from '../queue-stats.ts';
import { InFlight } from './in-flight.ts';
import type { Replica } from './replica.ts';

/**
 * How long a call waits for a replica of its service, in milliseconds. This is longer than it takes to find a replica
 * that has started. Beyond it: `unavailable`.
 */
const TIMEOUT_MS = 2_000;
/** The queue's name in metrics and traces. */
export const WAITING = 'rpc_waiting';

interface WaitingCall {
    context: CallContext;
    /** The size of its request, in bytes. */
    bytes: number;
    /** When it stops waiting (`performance.now()`). */
    until: number;
    resolve(replica: Replica): void;
    reject(error: AppError): void;
}

/** The calls that wait because no replica of their service is connected. They continue when one connects. */
export class WaitingCalls {
    readonly #calls = new Set<WaitingCall>();
    readonly #bound = new InFlight();
    readonly #stats = queueStats(WAITING);
    readonly #waitMs: number;

    constructor(waitMs = TIMEOUT_MS) {
        this.#waitMs = waitMs;
    }

    /**
     * Resolves to the next replica that connects. Rejects if there is no room, if it has waited for too long, or if the
     * call has ended.
     */
    add(bytes: number, context: CallContext): Promise<Replica> {
        return new Promise((resolve, reject) => {
            requireTime(context);
            if (!this.#bound.admits(bytes)) throw overloaded(WAITING);
            this.#bound.add(bytes);
            this.#stats.items++;
            this.#stats.waiting++;
            this.#calls.add({ context, bytes, until: performance.now() + this.#waitMs, resolve, reject });
        });
    }

    /** Resolves all waiting calls to this replica. */
    release(replica: Replica): void {
        if (this.#calls.size > 0) this.#stats.batches++;
        for (const call of this.#calls) {
            this.#remove(call);
            call.resolve(replica);
        }
    }

    /** Fails the calls that are cancelled, and with `reason` those that have waited for too long or have no time left. */
    sweep(now: number, reason: () => AppError): void {
        for (const call of this.#calls) {
            if (call.context.cancellation.isCancelled) this.#fail(call, overError(call.context));
            else if (now >= call.until || reasonNotToStart(call.context)) this.#fail(call, reason());
        }
    }

    /** Fails all waiting calls. */
    fail(error: AppError): void {
        for (const call of this.#calls) this.#fail(call, error);
    }

    #fail(call: WaitingCall, error: AppError): void {
        this.#remove(call);
        call.reject(error);
    }

    #remove(call: WaitingCall): void {
        this.#calls.delete(call);
        this.#bound.remove(call.bytes);
        this.#stats.waiting--;
    }
}
