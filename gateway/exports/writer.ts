import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { CallerPlaces } from '../../platform/bounded-queue.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { stringifyJson } from '../../platform/json.ts';
import type { Overload } from '../admission/overload.ts';
import type { Endpoint } from '../endpoint.ts';
import { writeLines } from '../http/envelope.ts';
import { type Exchange, headersOf } from '../http/exchange.ts';
import type { LineStream } from './line-stream.ts';

/** Maximum number of exports that a gateway writes for an account, and for trusted callers, at the same time. Beyond it: 429. */
const EXPORTS_PER_ACCOUNT = 1;
/** When a refused caller may try again, in seconds. */
const RETRY_SECONDS = 10;

/**
 * Writes streams of lines, with the fields that their endpoint declares. A page is read when the client has taken the one
 * before, so the gateway holds one page of a stream, of whatever length it is. If a page fails, the answer breaks off; if
 * it is the first one, the call is refused.
 */
export function lineStreamWriter(overload: Pick<Overload, 'leave'>) {
    const places = new CallerPlaces({ places: EXPORTS_PER_ACCOUNT, name: 'exports', maxWaiting: 0 });
    return async (
        { status, answer }: Pick<Endpoint, 'status' | 'answer'>,
        exchange: Exchange,
        { stream, context }: { stream: LineStream; context: CallContext },
    ): Promise<void> => {
        const leave = await places.take(context.user_id ?? '', {}).catch(underWay);
        async function* texts(): AsyncGenerator<string, void> {
            for await (const page of stream.pages(context)) {
                overload.leave(exchange); // from here on the reader determines how long the call takes
                await nextTurn(); // showing the lines takes a few milliseconds
                yield page.map((line) => `${stringifyJson(z.parse(answer, line))}\n`).join('');
            }
        }
        try {
            const headers = () => headersOf(exchange);
            await writeLines(exchange.response, { status, groups: texts(), headers, waits: true });
        } finally {
            leave();
        }
    };
}

/** An export may take minutes, so none waits for another. */
function underWay(): never {
    throw new AppError('rate_limited', 'Another export is under way. Try again when it has ended.', {
        retry_after: RETRY_SECONDS,
    });
}
