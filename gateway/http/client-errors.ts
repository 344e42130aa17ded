import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Decision } from '../admission/limit-decision.ts';
import type { Engine } from '../engine.ts';
import { limitHeaders, writeToSocket } from './envelope.ts';
import { exchangeOf } from './exchange.ts';

/** Time for the client to read the last answer before its connection is closed, in milliseconds. */
const LINGER_MS = 2_000;

/** A request that the parser refuses has no exchange, so it is answered and logged here. */
export interface UnparsedOptions {
    fail: Engine['fail'];
    /** The limit's state, for the header fields of the answer. */
    decision(): Decision;
    log: Log;
}

export interface ClientErrors {
    /** Records the response of a request whose head the parser has read. */
    began(response: ServerResponse): void;
    /**
     * Answers a parser error, after the answers to all earlier requests of the connection, and closes the connection.
     */
    answer(error: NodeJS.ErrnoException, socket: Socket): void;
    /** Refuses CONNECT in the same way. */
    refuseTunnel(socket: Socket): void;
}

/**
 * A parser error belongs to the body of the newest request or, if that body is complete, to the start of the next
 * request.
 */
export function clientErrors({ fail, decision, log }: UnparsedOptions): ClientErrors {
    const newest = new WeakMap<Socket, ServerResponse>();
    const refused = new WeakSet<Socket>();

    function refuse(error: AppError, socket: Socket): void {
        if (!socket.writable) return;
        const request_id = newId();
        writeToSocket(socket, error, { ...limitHeaders(decision()), 'X-Request-Id': request_id });
        log.info({ request_id, route: 'unparsed', status: error.http_status, error: error.kind });
        const linger = setTimeout(() => socket.destroy(), LINGER_MS);
        socket.once('close', () => clearTimeout(linger));
    }

    function refuseAfterAnswers(error: AppError, socket: Socket): void {
        const response = newest.get(socket);
        if (response && !response.writableFinished) response.once('close', () => refuse(error, socket));
        else refuse(error, socket);
    }

    return {
        began: (response) => void newest.set(response.req.socket, response),

        answer(error, socket) {
            // The bytes after the first error make no sense, but they are read: closing on a client that still writes
            // would lose the answer.
            if (refused.has(socket)) return;
            if (error.code === 'ECONNRESET' || !socket.writable) {
                socket.destroySoon(); // the answers that are already written go out first
                return;
            }
            refused.add(socket);
            const refusal = refusalOf(error.code);
            const response = newest.get(socket);
            if (!response || response.req.complete) return refuseAfterAnswers(refusal, socket);
            if (response.headersSent) socket.destroySoon();
            else void fail(exchangeOf(response), refusal, { close: true });
        },

        refuseTunnel(socket) {
            socket.resume(); // Node has removed its parser: what the client still writes is dropped
            refuseAfterAnswers(new AppError('method_not_allowed', 'CONNECT is not supported.'), socket);
        },
    };
}

function refusalOf(code: string | undefined): AppError {
    if (code === 'HPE_HEADER_OVERFLOW') return new AppError('headers_too_large', 'The header is larger than 16 KiB.');
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
        return new AppError('request_timeout', 'The request did not arrive in time.');
    return new AppError('invalid', 'The request is not well-formed HTTP.');
}
