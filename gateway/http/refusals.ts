import { type AppError, asAppError } from '../../platform/errors.ts';
import { RemoteError } from '../../platform/rpc/frames/wire.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Admitter } from '../admission/admit.ts';
import type { Overload } from '../admission/overload.ts';
import { headersOf, writeError } from './envelope.ts';
import type { Exchange } from './exchange.ts';

export interface Refusals {
    /** Answers with an error, whatever state the exchange is in. `close`: the connection ends after it. */
    fail(exchange: Exchange, error: unknown, options?: { close: boolean }): Promise<void>;
}

export function refusals(options: { admitter: Admitter; overload: Overload; log: Log }): Refusals {
    const { admitter, overload, log } = options;

    async function refuse(exchange: Exchange, error: AppError, { close } = { close: false }): Promise<void> {
        const { body, response } = exchange;
        exchange.failure = error;
        exchange.decision ??= (await admitter.anonymous(exchange.address, exchange)).decision;
        if (response.headersSent) return; // meanwhile answered because of a parser error
        if (close) exchange.headers['Connection'] = 'close';
        // If a connection closes while its client still writes, the client sees a broken pipe and loses the answer.
        const rest = close || body.hasArrived() ? undefined : body.drop();
        const written = writeError(response, error, { headers: headersOf(exchange), rest });
        overload.leave(exchange); // from here on the sender and the reader set the pace
        await written;
    }

    async function fail(exchange: Exchange, thrown: unknown, options?: { close: boolean }): Promise<void> {
        const { response } = exchange;
        if (response.writableEnded) return; // the parser's error about the body came first
        const error = asAppError(thrown);
        const is_logged = error instanceof RemoteError;
        if (error.http_status >= 500 && !is_logged)
            log.error({ err: thrown, request_id: exchange.request_id }, 'request failed');
        if (!response.headersSent) return refuse(exchange, error, options);
        exchange.failure = error;
        response.destroy(); // a list broke off in the middle: a regular end would look like success
    }

    return { fail };
}
