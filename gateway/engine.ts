import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { CallContext } from '../platform/context.ts';
import { asAppError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { admission } from './admission.ts';
import type { Admission, Admitter } from './admit.ts';
import { answering } from './answer.ts';
import { dropRest } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { headersOf, writeError, writePage, writeSuccess } from './envelope.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import type { ListAnswer, ListResult } from './lists.ts';
import type { Page } from './pages.ts';
import type { Services } from './services.ts';

export interface Engine {
    /** authenticate → limit → parse → call → envelope */
    handle(endpoint: Endpoint): RequestHandler;
    /** Answers with a page, to anybody whose address has calls left. */
    show(page: Page): RequestHandler;
    /** Answers 200 and nothing else. */
    succeed(exchange: Exchange, message: string): Promise<void>;
    fail: Fail;
}

/** Answers with an error, whatever state the exchange is in; `close`: and nothing else follows on its connection. */
type Fail = (exchange: Exchange, error: unknown, options?: { close: boolean }) => Promise<void>;

export function engine(options: {
    services: Services;
    admitter: Admitter;
    isInternal(request: IncomingMessage): boolean;
    readList(list: ListAnswer<unknown>, context: CallContext): Promise<ListResult>;
    log: Log;
}): Engine {
    const { admitter } = options;
    const admit = admission(options);
    const answer = answering(options);
    const fail = failing(options);

    /** Goes on with an admitted exchange, and answers whatever is thrown on the way. */
    async function conduct(
        exchange: Exchange,
        admitted: Promise<Admission>,
        goOn: () => Promise<void> | void,
    ): Promise<void> {
        try {
            const { decision, principal, failure } = await admitted;
            exchange.decision = decision;
            if (principal) exchange.principal = principal;
            if (failure) throw failure;
            await goOn();
        } catch (error) {
            await fail(exchange, error);
        }
    }

    return {
        fail,

        show: (page) => (_request: Request, response: Response) => {
            const exchange = exchangeOf(response);
            exchange.route = page.id;
            return conduct(exchange, admitter.anonymous(exchange.address), () =>
                writePage(response, { page, headers: headersOf(exchange) }),
            );
        },

        async succeed(exchange, message) {
            exchange.decision = (await admitter.anonymous(exchange.address)).decision;
            writeSuccess(exchange.response, { status: 200, message, data: {}, headers: headersOf(exchange) });
        },

        handle(endpoint) {
            const audit = endpoint.path.startsWith('/internal/v1/');
            return (_request: Request, response: Response) => {
                const exchange = exchangeOf(response);
                exchange.route = endpoint.id;
                exchange.audit = audit;
                return conduct(exchange, admit(endpoint.access, exchange), () => answer(endpoint, exchange));
            };
        },
    };
}

function failing({ admitter, log }: { admitter: Admitter; log: Log }): Fail {
    return async (exchange, thrown, { close } = { close: false }) => {
        const { request, response } = exchange;
        if (response.writableEnded) return; // the parser's complaint about the body was faster
        const error = asAppError(thrown);
        exchange.failure = error;
        if (error.http_status >= 500) log.error({ err: thrown, request_id: exchange.request_id }, 'request failed');
        if (response.headersSent) {
            response.destroy(); // a list broke off in the middle: an end would look like success
            return;
        }
        exchange.decision ??= (await admitter.anonymous(exchange.address)).decision;
        if (response.headersSent) return; // by the parser's complaint, meanwhile
        if (close) exchange.headers['Connection'] = 'close';
        // A connection that closes under a client which is still writing loses the answer: it sees a broken pipe first.
        const rest = close || request.complete ? undefined : dropRest(request);
        await writeError(response, error, { headers: headersOf(exchange), rest });
    };
}
