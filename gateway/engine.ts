import { isIP } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import type { CallContext } from '../platform/context.ts';
import { AppError, asAppError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { networkOf } from './address.ts';
import { type Admission, type Admitter, bearerRequired } from './admit.ts';
import { bearerToken } from './auth.ts';
import { dropRest, readBody } from './body.ts';
import type { Access, Endpoint, Input } from './endpoint.ts';
import { limitHeaders, writeBare, writeError, writePage, writeStream, writeSuccess } from './envelope.ts';
import { contextOf, type Exchange, exchangeOf, headerFields } from './exchange.ts';
import { parse } from './fields.ts';
import type { Decision } from './limit.ts';
import { ListAnswer, type ListResult } from './lists.ts';
import { actOnBehalf } from './on-behalf-of.ts';
import type { Page } from './pages.ts';
import { parseQuery } from './query.ts';
import type { Services } from './services.ts';

export interface Engine {
    /** authenticate → limit → parse → call → envelope */
    handle(endpoint: Endpoint): RequestHandler;
    /** Answers with a page, to anybody whose address has calls left. */
    show(page: Page): RequestHandler;
    /** Answers 200 and nothing else. */
    succeed(exchange: Exchange, message: string): Promise<void>;
    /** Answers with an error, whatever state the exchange is in; `close`: and nothing else follows on its connection. */
    fail(exchange: Exchange, error: unknown, options?: { close: boolean }): Promise<void>;
}

export function engine(options: {
    services: Services;
    admitter: Admitter;
    isInternal(request: Request): boolean;
    readList(list: ListAnswer<unknown>, context: CallContext): Promise<ListResult>;
    log: Log;
}): Engine {
    const { services, admitter, isInternal, readList, log } = options;

    async function admit(access: Access, exchange: Exchange): Promise<Admission> {
        const { address } = exchange;
        const request = exchange.request as Request;
        switch (access) {
            case 'none':
                return admitter.internal();
            case 'login':
                return isInternal(request) ? admitter.internal() : admitter.anonymous(address);
            case 'internal':
            case 'internal_session': {
                if (isInternal(request)) {
                    const needs_bearer = access === 'internal_session' && bearerToken(request) === undefined;
                    return { ...admitter.internal(), ...(needs_bearer && { failure: bearerRequired() }) };
                }
                const { decision, failure } = await admitter.anonymous(address);
                return {
                    decision,
                    failure: failure ?? new AppError('unauthenticated', 'The internal secret is missing or wrong.'),
                };
            }
            default:
                return admitter.bearer(bearerToken(request), { keys: access === 'any' }, address, contextOf(exchange));
        }
    }

    async function answer(endpoint: Endpoint, exchange: Exchange): Promise<void> {
        const input = await inputOf(endpoint, exchange, services, isInternal);
        const result = await endpoint.call(input);
        if (endpoint.counts_as_verified) await admitter.countVerified({ ...input.context, ...exchange.principal });
        const { response, headers } = exchange;
        const { status, message } = endpoint;
        const all_headers = { ...limitsOf(exchange), ...headers };
        if (endpoint.access === 'none') {
            writeBare(response, { status, data: result, headers: all_headers });
        } else if (result instanceof ListAnswer) {
            const list = await readList(result, input.context);
            if ('pieces' in list)
                await writeStream(response, { status, message, pieces: list.pieces, headers: all_headers });
            else {
                const next = linkToNext(exchange, list.next_cursor);
                writeSuccess(response, { status, message, data: list.data, headers: { ...all_headers, ...next } });
            }
        } else {
            writeSuccess(response, { status, message, data: result, headers: all_headers });
        }
    }

    async function fail(exchange: Exchange, thrown: unknown, { close } = { close: false }): Promise<void> {
        const { request, response } = exchange;
        if (response.writableEnded) return; // the parser's complaint about the body was faster
        const error = asAppError(thrown);
        exchange.failure = error;
        if (error.http_status >= 500) log.error({ err: thrown, request_id: exchange.request_id }, 'request failed');
        if (response.headersSent) {
            response.destroy(); // a list broke off in the middle: an end would look like success
            return;
        }
        exchange.decision ??= await countByAddress(exchange.address);
        if (response.headersSent) return; // by the parser's complaint, meanwhile
        if (close) exchange.headers['Connection'] = 'close';
        // A connection that closes under a client which is still writing loses the answer: it sees a broken pipe first.
        const rest = close || request.complete ? undefined : dropRest(request);
        await writeError(response, error, { headers: { ...limitsOf(exchange), ...exchange.headers }, rest });
    }

    async function countByAddress(address: string): Promise<Decision> {
        return (await admitter.anonymous(address)).decision;
    }

    return {
        fail,

        show: (page) => async (_request: Request, response: Response) => {
            const exchange = exchangeOf(response);
            exchange.route = page.id;
            try {
                const { decision, failure } = await admitter.anonymous(exchange.address);
                exchange.decision = decision;
                if (failure) throw failure;
                writePage(response, { page, headers: { ...limitHeaders(decision), ...exchange.headers } });
            } catch (error) {
                await fail(exchange, error);
            }
        },

        async succeed(exchange, message) {
            const { response, headers } = exchange;
            exchange.decision = await countByAddress(exchange.address);
            writeSuccess(response, { status: 200, message, data: {}, headers: { ...limitsOf(exchange), ...headers } });
        },

        handle: (endpoint) => async (_request: Request, response: Response) => {
            const exchange = exchangeOf(response);
            exchange.route = endpoint.id;
            exchange.audit = endpoint.path.startsWith('/internal/v1/');
            try {
                const { decision, principal, failure } = await admit(endpoint.access, exchange);
                exchange.decision = decision;
                if (principal) exchange.principal = principal;
                if (failure) throw failure;
                await answer(endpoint, exchange);
            } catch (error) {
                await fail(exchange, error);
            }
        },
    };
}

type AnyInput = Input<unknown, unknown, unknown, unknown>;

async function inputOf(
    endpoint: Endpoint,
    exchange: Exchange,
    services: Services,
    isInternal: (request: Request) => boolean,
): Promise<AnyInput> {
    const request = exchange.request as Request; // express made it
    const body = await readBody(request);
    if (exchange.malformed_path) throw new AppError('invalid', 'The path is not properly percent-encoded.');
    const context = contextOf(exchange, endpoint.timeout_ms);
    if (endpoint.access === 'internal' || endpoint.access === 'internal_session') context.trusted = true;
    if (endpoint.path.startsWith('/internal/') && isInternal(request)) context.address = namedAddress(exchange);
    if (endpoint.access === 'internal') await actOnBehalf(exchange, context, services);
    return {
        params: endpoint.params && parse(endpoint.params, request.params),
        query: endpoint.query && parse(endpoint.query, parseQuery(request.url)),
        headers: endpoint.headers && parse(endpoint.headers, headerFields(request)),
        body: endpoint.body && parse(endpoint.body, body),
        bearer: bearerToken(request),
        services,
        context,
    };
}

/** A trusted caller may name the end user's address, so that guesses are counted against that (decision A20). */
function namedAddress({ request, address }: Exchange): string {
    const named = request.headers['x-client-address'];
    if (named === undefined) return address;
    if (typeof named !== 'string' || isIP(named) === 0) {
        throw new AppError('invalid', 'X-Client-Address must be an IP address.');
    }
    return networkOf(named);
}

function limitsOf({ decision }: Exchange) {
    return decision ? limitHeaders(decision) : {};
}

function linkToNext({ request }: Exchange, cursor: string | undefined): Record<string, string> {
    if (cursor === undefined) return {};
    const [path = '', search = ''] = (request.url ?? '').split('?', 2);
    const query = new URLSearchParams(search);
    query.set('cursor', cursor);
    query.delete('password'); // no answer repeats a secret: the next request brings it again
    return { Link: `<${path}?${query}>; rel="next"` };
}
