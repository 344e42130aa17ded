import type { z } from 'zod';
import { type CallContext, callerOf } from '../platform/context.ts';
import type { Admission } from './admission/admission.ts';
import { BatchPlaces } from './admission/batch-places.ts';
import { countFurtherItems } from './admission/further-items.ts';
import type { Overload } from './admission/overload.ts';
import { piecesOf } from './batch-answer.ts';
import { PublicDocument } from './documents.ts';
import type { Endpoint } from './endpoint.ts';
import { LineStream } from './exports/line-stream.ts';
import { lineStreamWriter } from './exports/writer.ts';
import { MAX_FORM_BYTES } from './http/body.ts';
import { writeBare, writeDocument, writeStream, writeSuccess } from './http/envelope.ts';
import { contextOf, type Exchange, headersOf } from './http/exchange.ts';
import { bodyTurns } from './http/parse-turns.ts';
import { readHead, readInput } from './input.ts';
import { lineAnswers } from './line-answers.ts';
import { ListAnswer, type ListResult, shownList } from './lists.ts';
import { accountNamedIn } from './on-behalf-of.ts';
import type { Services } from './services.ts';

/** What an endpoint returned, and the context in which the pages of a list are read. */
interface Result {
    data: unknown;
    context: CallContext;
}

/** Runs an admitted call and writes its answer. */
type AnswerCall = (endpoint: Endpoint, exchange: Exchange) => Promise<void>;

export function answering(options: {
    services: Services;
    admission: Admission;
    readList(list: ListAnswer<unknown>, context: CallContext): Promise<ListResult>;
    overload: Overload;
}): AnswerCall {
    const { services, admission, readList, overload } = options;
    const parseInTurn = bodyTurns();
    const places = { credentials: new BatchPlaces(), users: new BatchPlaces() };
    const answerLines = lineAnswers(services);
    const writeLineStream = lineStreamWriter(overload);

    /** Reads the input and calls the endpoint. */
    async function resultOf(
        endpoint: Endpoint,
        exchange: Exchange,
        read: Pick<Parameters<typeof readInput>[2], 'head' | 'bytes'>,
    ): Promise<Result> {
        const input = await readInput(endpoint, exchange, { ...read, services, parseInTurn });
        const items = endpoint.weight?.(input.body);
        if (items !== undefined) {
            await countFurtherItems(exchange, { admission, endpoint, items });
            overload.weigh(exchange, items);
        }
        noteTarget(exchange, endpoint, [input.params, input.body]);
        const data = await endpoint.call(input);
        noteTarget(exchange, endpoint, [data]);
        if (input.context.replay?.isReplay) exchange.headers['Idempotent-Replayed'] = 'true';
        if (endpoint.countsAsVerified) admission.countVerified({ ...input.context, ...exchange.principal });
        return { data, context: input.context };
    }

    async function write(endpoint: Endpoint, exchange: Exchange, { data, context }: Result): Promise<void> {
        if (data instanceof LineStream) return writeLineStream(endpoint, exchange, { stream: data, context });
        if (!(data instanceof ListAnswer)) return writeData(endpoint, exchange, data);
        const list = await readList(shownList(endpoint.answer as z.ZodObject, data), context);
        if ('pieces' in list) overload.leave(exchange); // the reader determines how long the list takes
        return writeList(endpoint, exchange, list);
    }

    return async (endpoint, exchange) => {
        const { batch, form, lines } = endpoint;
        const maxBodyBytes = form ? MAX_FORM_BYTES : endpoint.maxBodyBytes;
        const head = readHead(endpoint, exchange);
        if (lines) return answerLines({ ...endpoint, lines }, exchange, head);
        // The wait for the sender's body, or for the place of a batch, is not load of the gateway.
        const waits = exchange.underWay > 0 && (batch !== undefined || !exchange.body.hasArrived());
        if (waits) overload.leave(exchange);
        const read = () => exchange.body.read(maxBodyBytes);
        const run = (bytes: Buffer): Promise<Result> => {
            if (waits) overload.enter(exchange);
            return resultOf(endpoint, exchange, { head, bytes });
        };
        const inTurn = { caller: callerIn(exchange), lifetime: () => contextOf(exchange), read, run };
        const result = await (batch === undefined ? run(await read()) : places[batch].run(inTurn));
        return write(endpoint, exchange, result);
    };
}

/** Names the caller whose batches share places: the account that a call acts for, or the address. */
function callerIn(exchange: Exchange): string {
    const { principal, internal, address } = exchange;
    return callerOf({ user_id: principal?.user_id ?? (internal ? accountNamedIn(exchange) : undefined), address });
}

/** Matches the ids that the service issues. Any other text that a caller sends as an id is not logged. */
const ID = /^((urn:uuid:)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|did:key:z[1-9A-HJ-NP-Za-km-z]{47})$/;

function noteTarget(exchange: Exchange, { actsOn }: Endpoint, sources: unknown[]): void {
    if (actsOn === undefined) return;
    for (const source of sources) {
        const id = (source as Record<string, unknown> | undefined)?.[actsOn]; // parsed inputs and answers are objects
        if (typeof id === 'string' && ID.test(id)) exchange.target = id;
    }
}

async function writeData(endpoint: Endpoint, exchange: Exchange, data: unknown): Promise<void> {
    const { status, message, document, batch, bare, answer, hasTag } = endpoint;
    if (document && data instanceof PublicDocument) return writeDocument(exchange, { ...document, document: data });
    const headers = headersOf(exchange);
    if (batch !== undefined) {
        // Batches answer with an object.
        const pieces = piecesOf(answer as z.ZodObject, data as Record<string, unknown>);
        return writeStream(exchange.response, { status, message, pieces, headers, isInMemory: true });
    }
    const shown = answer.parse(data); // the fields that the endpoint declares, and no others
    if (bare) writeBare(exchange.response, { status, data: shown, headers });
    else writeSuccess(exchange.response, { status, message, data: shown, headers, hasTag });
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
    query.delete('password'); // an answer never contains a secret: the client adds the password again
    return { Link: `<${path}?${query}>; rel="next"` };
}
