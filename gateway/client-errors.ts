import type { Socket } from 'node:net';
import { AppError } from '../platform/errors.ts';
import type { Engine } from './engine.ts';
import { writeToSocket } from './envelope.ts';
import type { Exchange } from './exchange.ts';

/** How long a connection stays after its last answer for the client to read it, in milliseconds. */
const LINGER_MS = 2_000;

export interface ClientErrors {
    /** Notes a request of which the parser has read the head. */
    began(exchange: Exchange): void;
    /** Answers what the parser refuses, after all that it read before on the connection, and closes that. */
    answer(error: NodeJS.ErrnoException, socket: Socket): void;
}

/** The parser's errors belong to the body of the newest request, or, where that is complete, to what should be the next one. */
export function clientErrors(fail: Engine['fail']): ClientErrors {
    const newest = new WeakMap<Socket, Exchange>();
    const refused = new WeakSet<Socket>();
    return {
        began: (exchange) => void newest.set(exchange.request.socket, exchange),

        answer(error, socket) {
            if (error.code === 'ECONNRESET' || !socket.writable) {
                socket.destroySoon(); // not before what was answered is on its way
                return;
            }
            if (refused.has(socket)) return; // after its first error a connection makes no more sense
            refused.add(socket);
            const refusal = refusalOf(error.code);
            const exchange = newest.get(socket);
            if (exchange && !exchange.request.complete) {
                if (exchange.response.headersSent) socket.destroySoon();
                else void fail(exchange, refusal, { close: true });
            } else if (exchange && !exchange.response.writableFinished) {
                exchange.response.once('close', () => writeLast(socket, refusal));
            } else {
                writeLast(socket, refusal);
            }
        },
    };
}

function writeLast(socket: Socket, error: AppError): void {
    if (!socket.writable) return;
    writeToSocket(socket, error);
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(linger));
}

function refusalOf(code: string | undefined): AppError {
    if (code === 'HPE_HEADER_OVERFLOW') return new AppError('headers_too_large', 'The header is larger than 16 KiB.');
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
        return new AppError('request_timeout', 'The request did not arrive in time.');
    return new AppError('invalid', 'The request is not well-formed HTTP.');
}
