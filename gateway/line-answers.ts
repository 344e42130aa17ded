import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { CallerPlaces } from '../platform/bounded-queue.ts';
import { deadlineExceeded } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { stringifyJson } from '../platform/json.ts';
import { MAX_IMPORTED_USERS } from '../proto/limits.ts';
import type { Endpoint } from './endpoint.ts';
import { requireMediaType } from './http/body.ts';
import { lineGroups, MAX_LINES_BYTES, NDJSON_TYPE } from './http/body-lines.ts';
import { writeLines } from './http/envelope.ts';
import { type Exchange, headersOf } from './http/exchange.ts';
import { type Head, inputOf } from './input.ts';
import type { Services } from './services.ts';

/** Maximum number of calls with lines that a gateway works on at a time. Beyond it: 503 at once. */
const MAX_UNDER_WAY = 2;
/** The queue's name in metrics and traces. */
const QUEUE = 'imports';
/** How long a call with lines may take, in milliseconds. Beyond it: the answer breaks off. */
const MAX_MS = 600_000;

type LinesEndpoint = Endpoint & { lines: NonNullable<Endpoint['lines']> };

/**
 * Answers calls whose bodies are lines of JSON with a line for each. The lines of a call are read, passed on and answered in
 * groups, one after the other: a gateway holds one group of a call, of whatever length it is. If a group fails, the
 * answer breaks off, and so it shows which lines have an outcome; if it is the first one, the call is refused.
 */
export function lineAnswers(services: Services) {
    const places = new CallerPlaces({ places: MAX_UNDER_WAY, name: QUEUE, maxWaiting: 0 });
    return async (endpoint: LinesEndpoint, exchange: Exchange, head: Head): Promise<void> => {
        requireMediaType(exchange.request.headers, NDJSON_TYPE);
        const leave = await places.take('', {}).catch(tooMany); // all callers share the places
        try {
            const groups = answered(endpoint, exchange, { head, services });
            await writeLines(exchange.response, {
                status: endpoint.status,
                groups,
                headers: () => headersOf(exchange),
            });
        } finally {
            leave();
        }
    };
}

/** The text of the answer to each group of lines. */
async function* answered(
    endpoint: LinesEndpoint,
    exchange: Exchange,
    { head, services }: { head: Head; services: Services },
): AsyncGenerator<string, void> {
    const { sent, answered } = endpoint.lines;
    const { element } = (endpoint.answer as z.ZodObject).shape[answered] as z.ZodArray; // as `lines` documents
    const end = performance.now() + MAX_MS;
    let before = 0;
    for await (const lines of lineGroups(exchange.body.pieces(MAX_LINES_BYTES), MAX_IMPORTED_USERS)) {
        if (performance.now() > end) throw deadlineExceeded();
        const input = await inputOf(endpoint, exchange, { head, body: { [sent]: lines }, services });
        const data = (await endpoint.call(input)) as Record<string, Array<{ line: number }>>;
        await nextTurn(); // parsing the lines and writing the answers take a few milliseconds each
        yield (data[answered] ?? [])
            .map((result) => `${stringifyJson(z.parse(element, { ...result, line: before + result.line }))}\n`)
            .join('');
        before += lines.length;
    }
}

/** An import may take minutes, so none waits for another. */
function tooMany(): never {
    throw new AppError('unavailable', `${MAX_UNDER_WAY} imports are under way. Try again when one has ended.`, {
        retry_after: 10,
        reason: `queue ${QUEUE}`,
    });
}
