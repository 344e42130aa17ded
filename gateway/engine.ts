import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { CallContext } from '../platform/context.ts';
import type { Log } from '../platform/telemetry/log.ts';
import { admission } from './admission/admission.ts';
import type { Admission, Admitter } from './admission/admit.ts';
import type { Overload } from './admission/overload.ts';
import { answering } from './answer.ts';
import type { Endpoint } from './endpoint.ts';
import { headersOf, writePage, writeSuccess } from './http/envelope.ts';
import { type Exchange, exchangeOf } from './http/exchange.ts';
import { type Refusals, refusals } from './http/refusals.ts';
import type { ListAnswer, ListResult } from './lists.ts';
import type { StaticPage } from './pages.ts';
import type { Services } from './services.ts';

export interface Engine extends Refusals {
    /** authenticate → limit → parse → call → envelope */
    handle(endpoint: Endpoint): RequestHandler;
    /** Sends a page to anybody whose address has calls left. */
    show(page: StaticPage): RequestHandler;
    /** Answers 200 and nothing else. */
    succeed(exchange: Exchange, message: string): Promise<void>;
}

export function engine(options: {
    services: Services;
    admitter: Admitter;
    isInternal(request: IncomingMessage): boolean;
    readList(list: ListAnswer<unknown>, context: CallContext): Promise<ListResult>;
    overload: Overload;
    log: Log;
}): Engine {
    const { admitter, overload } = options;
    const admit = admission(options);
    const answer = answering(options);
    const { fail } = refusals(options);

    /** Continues an admitted exchange. Every error on the way becomes an answer. */
    async function run(
        exchange: Exchange,
        admitted: Promise<Admission>,
        resume: () => Promise<void> | void,
    ): Promise<void> {
        try {
            const { decision, principal, failure } = await admitted;
            exchange.decision = decision;
            if (principal) exchange.principal = principal;
            if (failure) throw failure;
            await resume();
            overload.leave(exchange); // the rest of the time is the reader's
        } catch (error) {
            await fail(exchange, error);
        }
    }

    return {
        fail,

        show: (page) => (_request: Request, response: Response) => {
            const exchange = exchangeOf(response);
            exchange.route = page.id;
            return run(exchange, admitter.anonymous(exchange.address, exchange), () =>
                writePage(response, { page, headers: headersOf(exchange) }),
            );
        },

        async succeed(exchange, message) {
            exchange.decision = (await admitter.anonymous(exchange.address, exchange)).decision;
            writeSuccess(exchange.response, { status: 200, message, data: {}, headers: headersOf(exchange) });
            overload.leave(exchange);
        },

        handle(endpoint) {
            const audit = endpoint.path.startsWith('/internal/v1/');
            const span_name = `${endpoint.method} ${endpoint.path}`;
            return (_request: Request, response: Response) => {
                const exchange = exchangeOf(response);
                exchange.route = endpoint.id;
                exchange.span.rename(span_name);
                exchange.audit = audit;
                if (endpoint.hashes_password) overload.leave(exchange);
                return run(exchange, admit(endpoint.access, exchange), () => answer(endpoint, exchange));
            };
        },
    };
}
