import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { CallContext } from '../../platform/context.ts';
import { stringifyJson } from '../../platform/json.ts';
import type { Overload } from '../admission/overload.ts';
import type { Endpoint } from '../endpoint.ts';
import { writeLines } from '../http/envelope.ts';
import { type Exchange, headersOf } from '../http/exchange.ts';
import type { LineStream } from './line-stream.ts';
import { exportPlaces } from './places.ts';

/**
 * Writes streams of lines, with the fields that their endpoint declares. A page is read when the client has taken the one
 * before, so the gateway holds one page of a stream, of whatever length it is. If a page fails, the answer breaks off; if
 * it is the first one, the call is refused.
 */
export function lineStreamWriter(overload: Pick<Overload, 'leave'>) {
    const takePlace = exportPlaces();
    return async (
        { status, answer }: Pick<Endpoint, 'status' | 'answer'>,
        exchange: Exchange,
        { stream, context }: { stream: LineStream; context: CallContext },
    ): Promise<void> => {
        const leave = await takePlace(context.user_id);
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
