import { connect } from 'node:net';

export interface Answer {
    status: number;
    /** The whole answer, header fields and body. */
    bytes: Buffer;
}

export interface Target {
    host: string;
    port: number;
}

export interface Connection {
    /** Sends one request. The next one may go when its answer has come. */
    send(request: Buffer): void;
    close(): void;
}

const STATUS_AT = 'HTTP/1.1 '.length;
const LENGTH_FIELD = '\r\nContent-Length: ';

/** The first answer in `bytes`, and undefined while it is not complete. Answers without a length are none of this service's. */
export function parseAnswer(bytes: Buffer): Answer | undefined {
    const head_end = bytes.indexOf('\r\n\r\n');
    if (head_end === -1) return undefined;
    const body_at = head_end + 4;
    const field = bytes.indexOf(LENGTH_FIELD);
    if (field === -1 || field > head_end) throw new Error('The answer has no Content-Length.');
    const length = Number.parseInt(bytes.toString('latin1', field + LENGTH_FIELD.length, head_end), 10);
    if (bytes.length < body_at + length) return undefined;
    if (bytes.length > body_at + length) throw new Error('More came than was asked for.');
    return { status: Number(bytes.toString('latin1', STATUS_AT, STATUS_AT + 3)), bytes };
}

/**
 * One keep-alive connection of HTTP/1.1. A general client would cost as much CPU as the service that it measures: this one
 * sends bytes that were made before and reads of an answer only status and length.
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
