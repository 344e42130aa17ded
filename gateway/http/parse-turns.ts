import { Places } from '../../platform/bounded-queue.ts';
import { callerOf } from '../../platform/context.ts';
import { inTurn } from '../../platform/process/turns.ts';
import { contextOf, type Exchange } from './exchange.ts';

/**
 * Largest body that is parsed at once, in bytes. It takes less than half a millisecond. Beyond it: the body is parsed
 * in a turn of the event loop of its own.
 */
const SMALL_BYTES = 16 << 10;
/** Maximum number of larger bodies that wait for their turn. Beyond it: `unavailable`. */
const MAX_WAITING = 64;

/**
 * Parses the body `bytes` of a request with `parse`, at once or in a later turn of the event loop. Rejects with AppError
 * `unavailable` if too many bodies wait.
 */
export type ParseInTurn = <Result>(
    exchange: Exchange,
    bytes: Buffer,
    parse: (bytes: Buffer) => Result,
) => Promise<Result>;

/**
 * Parses one large body per turn of the event loop. A body of 1 MiB takes about 10 ms: if many arrived at the same
 * moment and were parsed in one turn, all other requests would wait for them. Callers take turns.
 */
export function bodyTurns(): ParseInTurn {
    const places = new Places({ places: 1, name: 'body_parsing', maxWaiting: MAX_WAITING });
    return async (exchange, bytes, parse) => {
        if (bytes.length <= SMALL_BYTES) return parse(bytes);
        const context = contextOf(exchange);
        return places.run(() => inTurn(() => parse(bytes)), context, callerOf(context));
    };
}
