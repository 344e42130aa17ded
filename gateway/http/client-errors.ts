import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Decision } from '../../platform/access/limit-decision.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { workInTurns } from '../../platform/process/turns.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Engine } from '../engine.ts';
import { writeToSocket } from './envelope.ts';
import { exchangeOf, limitHeaders, MAX_HEADERS } from './exchange.ts';

/** How long a client may take to read the last answer before its connection is closed, in milliseconds. */
const LINGER_MS = 2_000;

/**
 * Maximum number of parser errors that one turn of the event loop answers. Node reports the requests that did not
 * arrive in time all at once, and there may be thousands. Beyond it: the others are answered in later turns.
 */
const ANSWERS_PER_TURN = 16;

const HEADER_OVERFLOW = `A request may have at most ${MAX_HEADERS} header fields, and a header of 16 KiB.`;

/** A request that the parser refuses has no exchange, so it is answered and logged here. */
interface UnparsedOptions {
    fail: Engine['fail'];
    /** The state of the rate limit, for the header fields of the answer. */
    decision(): Decision;
    log: Log;
}

export interface ClientErrors {
    /** Records the response of a request whose head the parser has read. */
    began(response: ServerResponse): void;
    /** Forgets a response that is over: a connection that stays open must not keep the secrets of its last request. */
    ended(response: ServerResponse): void;
    /**
     * Answers a parser error, after the answers to all earlier requests of the connection, and closes the connection.
     */
    answer(error: NodeJS.ErrnoException, socket: Socket): void;
    /** Answers a request whose body has not arrived in time, and closes its connection. */
    late(response: ServerResponse): void;
    /** Refuses CONNECT in the same way. */
    refuseTunnel(socket: Socket): void;
}

/**
 * Answers the errors of the HTTP parser. A parser error belongs to the body of the newest request or, if that body is
 * complete, to the start of the next request.
 */
export function clientErrors({ fail, decision, log }: UnparsedOptions): ClientErrors {
    const newest = new WeakMap<Socket, ServerResponse>();
    const refused = new WeakSet<Socket>();
    const inTurn = workInTurns(ANSWERS_PER_TURN);

    function refuse(error: AppError, socket: Socket): void {
        if (!socket.writable) return;
        const requestId = newId();
        writeToSocket(socket, error, { ...limitHeaders(decision()), 'X-Request-Id': requestId });
        log.info({ request_id: requestId, route: 'unparsed', status: error.httpStatus, error: error.kind });
        const linger = setTimeout(() => socket.destroy(), LINGER_MS);
        socket.once('close', () => clearTimeout(linger));
    }

    function refuseAfterAnswers(error: AppError, socket: Socket): void {
        const response = newest.get(socket);
        if (response && !response.writableFinished) response.once('close', () => refuse(error, socket));
        else refuse(error, socket);
    }

    function answerNow(refusal: AppError, socket: Socket): void {
        const response = newest.get(socket);
        if (!response || response.req.complete) refuseAfterAnswers(refusal, socket);
        else if (response.headersSent) socket.destroySoon();
        else void fail(exchangeOf(response), refusal, { close: true });
    }

    return {
        began: (response) => void newest.set(response.req.socket, response),

        ended({ req }) {
            const { socket, complete } = req;
            if (complete && newest.get(socket)?.req === req) newest.delete(socket);
        },

        answer(error, socket) {
            // The parser reports further errors for the bytes after the first error. They are ignored, but the bytes
            // are read: if the connection closed while the client still writes, the client would lose the answer.
            if (refused.has(socket)) return;
            if (error.code === 'ECONNRESET' || !socket.writable) {
                socket.destroySoon(); // sends the answers that are already written first
                return;
            }
            refused.add(socket);
            inTurn(() => answerNow(refusalOf(error.code), socket));
        },

        late(response) {
            const { socket } = response.req;
            if (response.req.complete || refused.has(socket)) return;
            refused.add(socket);
            inTurn(() => answerNow(tooLate(), socket));
        },

        refuseTunnel(socket) {
            socket.resume(); // Node has removed its parser, so this discards what the client still sends
            refuseAfterAnswers(new AppError('method_not_allowed', 'CONNECT is not supported.'), socket);
        },
    };
}

function refusalOf(code: string | undefined): AppError {
    if (code === 'HPE_HEADER_OVERFLOW') return new AppError('headers_too_large', HEADER_OVERFLOW);
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooLate();
    return new AppError('invalid', 'The request is not well-formed HTTP.');
}

function tooLate(): AppError {
    return new AppError('request_timeout', 'The request did not arrive in time.');
}
