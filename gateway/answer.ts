import type { CallContext } from '../platform/context.ts';
import type { Admitter } from './admission/admit.ts';
import type { Overload } from './admission/overload.ts';
import type { Endpoint } from './endpoint.ts';
import { headersOf, writeBare, writeStream, writeSuccess } from './http/envelope.ts';
import type { Exchange } from './http/exchange.ts';
import { bodyTurns } from './http/parse-turns.ts';
import { readInput } from './input.ts';
import { ListAnswer, type ListResult } from './lists.ts';
import type { Services } from './services.ts';

/** Runs an admitted call and writes its answer. */
export type AnswerCall = (endpoint: Endpoint, exchange: Exchange) => Promise<void>;

export function answering(options: {
    services: Services;
    admitter: Admitter;
    readList(list: ListAnswer<unknown>, context: CallContext): Promise<ListResult>;
    overload: Overload;
}): AnswerCall {
    const { services, admitter, readList, overload } = options;
    const parseInTurn = bodyTurns();

    return async (endpoint, exchange) => {
        const is_awaited = exchange.under_way && !exchange.body.hasArrived();
        if (is_awaited) overload.leave(exchange); // the sender decides how long its body takes
        const input = await readInput(endpoint, exchange, { services, parseInTurn });
        if (is_awaited) overload.enter(exchange);
        noteTarget(exchange, endpoint, [input.params, input.body]);
        const result = await endpoint.call(input);
        noteTarget(exchange, endpoint, [result]);
        if (endpoint.counts_as_verified) await admitter.countVerified({ ...input.context, ...exchange.principal });
        if (result instanceof ListAnswer) {
            const list = await readList(result, input.context);
            if ('pieces' in list) overload.leave(exchange); // as fast as its reader
            return writeList(endpoint, exchange, list);
        }
        const { status, message } = endpoint;
        const headers = headersOf(exchange);
        if (endpoint.bare) writeBare(exchange.response, { status, data: result, headers });
        else writeSuccess(exchange.response, { status, message, data: result, headers });
    };
}

/**
 * Matches the ids that the service issues. Anything else that a caller sends in place of an id is not repeated in a
 * log.
 */
const ID = /^((urn:uuid:)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|did:key:z[1-9A-HJ-NP-Za-km-z]{47})$/;

function noteTarget(exchange: Exchange, { acts_on }: Endpoint, sources: unknown[]): void {
    if (acts_on === undefined) return;
    for (const source of sources) {
        const id = (source as Record<string, unknown> | undefined)?.[acts_on]; // parsed inputs and answers are objects
        if (typeof id === 'string' && ID.test(id)) exchange.target = id;
    }
}

async function writeList({ status, message }: Endpoint, exchange: Exchange, list: ListResult): Promise<void> {
    const headers = headersOf(exchange);
    if ('pieces' in list) {
        try {
            return await writeStream(exchange.response, { status, message, pieces: list.pieces, headers });
        } finally {
            list.close();
        }
    }
    const next = linkToNext(exchange, list.next_cursor);
    writeSuccess(exchange.response, { status, message, data: list.data, headers: { ...headers, ...next } });
}

function linkToNext({ request }: Exchange, cursor: string | undefined): Record<string, string> {
    if (cursor === undefined) return {};
    const [path = '', search = ''] = (request.url ?? '').split('?', 2);
    const query = new URLSearchParams(search);
    query.set('cursor', cursor);
    query.delete('password'); // no answer repeats a secret: the next request brings it again
    return { Link: `<${path}?${query}>; rel="next"` };
}
