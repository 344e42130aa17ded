import { type AppError, asAppError } from '../../platform/errors.ts';
import { RemoteError } from '../../platform/rpc/frames/wire.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { unavailableLog } from '../../platform/telemetry/unavailable-log.ts';
import type { Admission } from '../admission/admission.ts';
import type { Overload } from '../admission/overload.ts';
import { writeError } from './envelope.ts';
import { type Exchange, headersOf } from './exchange.ts';
import { oauthProblem } from './oauth.ts';

export interface Refusals {
    /** Answers with an error, in any state of the exchange. `close`: the connection closes after the answer. */
    fail(exchange: Exchange, error: unknown, options?: { close: boolean }): Promise<void>;
}

export function refusals(options: { admission: Admission; overload: Overload; log: Log }): Refusals {
    const { admission, overload, log } = options;
    const logUnavailable = unavailableLog(log);

    async function refuse(exchange: Exchange, error: AppError, { close } = { close: false }): Promise<void> {
        const { body, response } = exchange;
        exchange.failure = error;
        exchange.decision ??= (await admission.anonymous(exchange.address, exchange)).decision;
        if (response.headersSent) return; // in the meantime a parser error was answered
        if (close) exchange.headers['Connection'] = 'close';
        // If a connection closes while its client still writes, the client sees a broken pipe and loses the answer.
        const rest = close || body.hasArrived() || body.isHeldBack() ? undefined : body.drop();
        const problem =
            exchange.problem === undefined ? undefined : oauthProblem(error, exchange.problem, exchange.request);
        const headers = { ...headersOf(exchange), ...problem?.headers };
        const written = writeError(response, error, { headers, rest, text: problem?.text });
        overload.leave(exchange); // from here on the client determines how long the exchange takes
        await written;
    }

    async function fail(exchange: Exchange, thrown: unknown, options?: { close: boolean }): Promise<void> {
        const { response } = exchange;
        if (response.writableEnded) return; // a parser error in the body was answered first
        const error = asAppError(thrown);
        const isLogged = error instanceof RemoteError;
        if (error.httpStatus >= 500 && !isLogged) {
            const { request_id } = exchange;
            if (error.isExplained) logUnavailable(error, { request_id });
            else log.error({ err: thrown, request_id }, 'request failed');
        }
        if (!response.headersSent) return refuse(exchange, error, options);
        exchange.failure = error;
        response.destroy(); // the answer is an incomplete list, and a regular end would look like success
    }

    return { fail };
}
