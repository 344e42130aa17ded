import { CallerPlaces, Places } from '../../platform/bounded-queue.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';

/**
 * Maximum number of batches of one caller that are read or worked on at a time. With two, single calls of others wait
 * twice as long on two cores. Beyond it: the batch waits, for 10 s at most.
 */
const PER_CALLER = 1;
/** Maximum number of further batches of a caller that wait. At most 16 KiB of each are read. Beyond it: 429. */
const MAX_WAITING = 64;
/**
 * Maximum number of batches that the gateway works on at a time: as many as a process of the services does. Together
 * they weigh half of the calls that overload() admits while it sheds, so the other half remains for single calls.
 * Beyond it: the batch waits, for 10 s at most.
 */
const PER_GATEWAY = 4;
/**
 * Maximum number of read batches of all callers that wait, with bodies of up to 1 MiB. Beyond it: the newest batch of
 * the caller with the most, or this one, is `unavailable`.
 */
const MAX_READ = 128;
/** The queue's name in the metrics. */
const QUEUE = 'batches';

interface Batch<Body, Result> {
    /** Whose batch it is. */
    caller: string;
    /** Returns how long the batch may wait from now on. */
    lifetime(): CallLifetime;
    read(): Promise<Body>;
    run(body: Body): Promise<Result>;
}

/**
 * Limits how many batches are in progress, for each caller and for this process. A batch takes a place of its caller
 * before its body is read, so that waiting batches hold little memory. It takes a place of the process when the body has
 * been read, so that slow senders do not keep the places from others. Callers take turns.
 */
export class BatchPlaces {
    readonly #ofCallers = new CallerPlaces({ places: PER_CALLER, name: QUEUE, maxWaiting: MAX_WAITING });
    readonly #ofGateway = new Places({ places: PER_GATEWAY, name: QUEUE, maxWaiting: MAX_READ });

    /**
     * Reads and runs the batch in its turn. Rejects with `rate_limited` if the caller has too many batches, and with
     * `unavailable` or `deadline` if all callers together have.
     */
    async run<Body, Result>({ caller, lifetime, read, run }: Batch<Body, Result>): Promise<Result> {
        if (this.#ofCallers.waiting(caller) >= MAX_WAITING) throw tooManyBatches();
        let hasBegun = false;
        const begin = async (): Promise<Result> => {
            hasBegun = true;
            const body = await read();
            return this.#ofGateway.run(() => run(body), lifetime(), caller);
        };
        try {
            return await this.#ofCallers.run(caller, begin, lifetime());
        } catch (error) {
            const hasWaitedInVain = !hasBegun && error instanceof AppError && error.kind === 'deadline';
            throw hasWaitedInVain ? tooManyBatches() : error;
        }
    }
}

function tooManyBatches(): AppError {
    return new AppError(
        'rate_limited',
        'One batch of a caller is worked on at a time, and too many wait. Try again in 1 second.',
        { retry_after: 1 },
    );
}
