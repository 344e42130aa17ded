import { connect } from 'node:net';

export interface Answer {
    status: number;
    /** The whole answer: header fields and body. */
    bytes: Buffer;
}

export interface Target {
    host: string;
    port: number;
}

export interface Connection {
    /** Sends one request. Call it again only after the answer has arrived. */
    send(request: Buffer): void;
    close(): void;
}

const STATUS_AT = 'HTTP/1.1 '.length;
const LENGTH_FIELD = '\r\nContent-Length: ';

/**
 * Returns the answer in `bytes`; undefined while it is incomplete. Throws if it has no Content-Length, which all
 * answers of this service have, or if more bytes follow.
 */
export function parseAnswer(bytes: Buffer): Answer | undefined {
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const bodyAt = headEnd + 4;
    const field = bytes.indexOf(LENGTH_FIELD);
    if (field === -1 || field > headEnd) throw new Error('The answer has no Content-Length.');
    const length = Number.parseInt(bytes.toString('latin1', field + LENGTH_FIELD.length, headEnd), 10);
    if (bytes.length < bodyAt + length) return undefined;
    if (bytes.length > bodyAt + length) throw new Error('The server sent more than one answer.');
    return { status: Number(bytes.toString('latin1', STATUS_AT, STATUS_AT + 3)), bytes };
}

/**
 * Opens one keep-alive connection of HTTP/1.1. A general client would use as much CPU as the service that it measures.
 * This one sends prepared bytes, and reads only the status and the length of an answer.
 */
export function openConnection(options: {
    target: Target;
    onAnswer(answer: Answer): void;
    onLost(reason: string): void;
}): Connection {
    const { target, onAnswer, onLost } = options;
    const socket = connect({ ...target, noDelay: true });
    let arrived: Buffer | undefined;
    let closed = false;
    const lose = (reason: string): void => {
        if (closed) return;
        closed = true;
        socket.destroy();
        onLost(reason);
    };
    socket.on('data', (chunk) => {
        arrived = arrived ? Buffer.concat([arrived, chunk]) : chunk;
        let answer: Answer | undefined;
        try {
            answer = parseAnswer(arrived);
        } catch (error) {
            return lose(String(error));
        }
        if (!answer) return;
        arrived = undefined;
        onAnswer(answer);
    });
    socket.on('error', (error) => lose(error.message));
    socket.on('close', () => lose('The connection was closed.'));
    return {
        send: (request) => socket.write(request),
        close() {
            closed = true;
            socket.end();
        },
    };
}
