import { overloaded } from '../../platform/gather.ts';
import { eachTurn } from '../../platform/process/turns.ts';
import { queueStats } from '../../platform/queue-stats.ts';

/**
 * Largest body that is parsed at once, in bytes. It takes less than half a millisecond. Beyond it: the body is parsed
 * in a turn of the event loop of its own.
 */
const SMALL_BYTES = 16 << 10;
/** Maximum number of larger bodies that wait for their turn. Beyond it: `unavailable`. */
const MAX_WAITING = 64;
/** The queue's name in the metrics. */
const QUEUE = 'body_parsing';

/**
 * Parses `bytes` with `parse`, at once or in a later turn of the event loop. Rejects with AppError `unavailable` if too
 * many bodies wait.
 */
export type ParseInTurn = <Result>(bytes: Buffer, parse: (bytes: Buffer) => Result) => Promise<Result>;

/**
 * Parses one large body per turn of the event loop. A body of 1 MiB takes about 10 ms: if many arrived at the same
 * moment and were parsed in one turn, all other requests would wait for them.
 */
export function bodyTurns(): ParseInTurn {
    const waiting: Array<() => void> = [];
    const stats = queueStats(QUEUE);

    function runNext(): boolean {
        const run = waiting[0];
        run?.();
        waiting.shift();
        stats.waiting--;
        stats.batches++;
        return waiting.length > 0;
    }

    return async (bytes, parse) => {
        if (bytes.length <= SMALL_BYTES) return parse(bytes);
        if (waiting.length >= MAX_WAITING) throw overloaded(QUEUE);
        stats.items++;
        stats.waiting++;
        return new Promise((resolve, reject) => {
            waiting.push(() => {
                try {
                    resolve(parse(bytes));
                } catch (error) {
                    reject(error);
                }
            });
            eachTurn(runNext);
        });
    };
}
