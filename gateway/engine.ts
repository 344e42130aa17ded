import type { Request, RequestHandler, Response } from 'express';
import type { CallContext } from '../platform/context.ts';
import type { Log } from '../platform/telemetry/log.ts';
import type { Admission } from './admission/admission.ts';
import type { Overload } from './admission/overload.ts';
import type { Verdict } from './admission/verdict.ts';
import { answering } from './answer.ts';
import type { Endpoint } from './endpoint.ts';
import { allowAnyOrigin } from './http/cors.ts';
import { writeDocument, writeSuccess } from './http/envelope.ts';
import { type Exchange, exchangeOf, headersOf } from './http/exchange.ts';
import { type Refusals, refusals } from './http/refusals.ts';
import type { ListAnswer, ListResult } from './lists.ts';
import type { StaticPage } from './pages.ts';
import type { Services } from './services.ts';

/** How long clients may keep a page, in seconds. Beyond it: they ask again. */
const PAGE_SECONDS = 300;

export interface Engine extends Refusals {
    /** Handles a call of an endpoint: authenticates, limits, parses, calls the endpoint and writes the answer. */
    handle(endpoint: Endpoint): RequestHandler;
    /** Sends a page. The call counts against the anonymous limit of its address. */
    show(page: StaticPage): RequestHandler;
    /** Answers 200 with empty data. The call counts against the anonymous limit of its address. */
    succeed(exchange: Exchange, message: string): Promise<void>;
}

export function engine(options: {
    services: Services;
    admission: Admission;
    readList(list: ListAnswer<unknown>, context: CallContext): Promise<ListResult>;
    overload: Overload;
    log: Log;
}): Engine {
    const { admission, overload } = options;
    const answer = answering(options);
    const { fail } = refusals(options);
    const run = runner(overload, fail);
    return {
        fail,

        show: (page) => (_request: Request, response: Response) => {
            const exchange = exchangeOf(response);
            exchange.route = page.id;
            return run(exchange, admission.anonymous(exchange.address, exchange), async () =>
                writeDocument(exchange, {
                    ...page,
                    document: await page.document(),
                    maxAgeSeconds: PAGE_SECONDS,
                    more: { 'Content-Security-Policy': page.policy },
                }),
            );
        },

        async succeed(exchange, message) {
            exchange.decision = (await admission.anonymous(exchange.address, exchange)).decision;
            writeSuccess(exchange.response, { status: 200, message, data: {}, headers: headersOf(exchange) });
            overload.leave(exchange);
        },

        handle(endpoint) {
            const audit = endpoint.path.startsWith('/internal/v1/');
            const spanName = `${endpoint.method} ${endpoint.path}`;
            const serve = async (exchange: Exchange): Promise<void> => {
                await answer(endpoint, exchange);
                if (endpoint.access === 'wallet') admission.walletServed(exchange.address);
            };
            return (_request: Request, response: Response) => {
                const exchange = exchangeOf(response);
                exchange.route = endpoint.id;
                exchange.span.rename(spanName);
                exchange.audit = audit;
                if (endpoint.document || endpoint.problem) allowAnyOrigin(exchange);
                if (endpoint.problem) exchange.problem = endpoint.problem;
                if (endpoint.form) exchange.headers['Pragma'] = 'no-cache'; // for caches of HTTP/1.0
                if (endpoint.hashesPassword) overload.leave(exchange);
                return run(exchange, admission.admit(endpoint, exchange), () => serve(exchange));
            };
        },
    };
}

/** Returns a function that waits for the admission, then calls `resume`. If either fails, it answers with the error. */
function runner(overload: Overload, fail: Refusals['fail']) {
    return async (
        exchange: Exchange,
        admitted: Promise<Verdict>,
        resume: () => Promise<void> | void,
    ): Promise<void> => {
        try {
            const { decision, principal, failure } = await admitted;
            exchange.decision = decision;
            if (principal) exchange.principal = principal;
            if (failure) throw failure;
            await resume();
            overload.leave(exchange); // from here on the reader determines how long the answer takes
        } catch (error) {
            await fail(exchange, error);
        }
    };
}
