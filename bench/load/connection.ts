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
const CHUNKED_FIELD = '\r\nTransfer-Encoding: chunked\r\n';

/**
 * Returns the answer in `bytes`, its body without the frames of chunks; undefined while it is incomplete. Throws if
 * nothing shows where it ends, or if more bytes follow.
 */
export function parseAnswer(bytes: Buffer): Answer | undefined {
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const bodyAt = headEnd + 4;
    const head = bytes.toString('latin1', 0, headEnd + 2);
    const parts = head.includes(CHUNKED_FIELD) ? chunksOf(bytes, bodyAt) : bodyOf(bytes, bodyAt, lengthIn(head));
    if (!parts) return undefined;
    const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
    return { status, bytes: Buffer.concat([bytes.subarray(0, bodyAt), ...parts]) };
}

function lengthIn(head: string): number {
    const field = head.indexOf(LENGTH_FIELD);
    if (field === -1) throw new Error('The answer has neither a Content-Length nor chunks.');
    return Number.parseInt(head.slice(field + LENGTH_FIELD.length), 10);
}

function bodyOf(bytes: Buffer, bodyAt: number, length: number): Buffer[] | undefined {
    const end = bodyAt + length;
    requireEnd(bytes, end);
    return bytes.length < end ? undefined : [bytes.subarray(bodyAt)];
}

function chunksOf(bytes: Buffer, bodyAt: number): Buffer[] | undefined {
    const chunks: Buffer[] = [];
    for (let at = bodyAt; ; ) {
        const sizeEnd = bytes.indexOf('\r\n', at);
        if (sizeEnd === -1) return undefined;
        const size = Number.parseInt(bytes.toString('latin1', at, sizeEnd), 16);
        const end = sizeEnd + 2 + size + 2;
        if (bytes.length < end) return undefined;
        if (size === 0) {
            requireEnd(bytes, end);
            return chunks;
        }
        chunks.push(bytes.subarray(sizeEnd + 2, end - 2));
        at = end;
    }
}

function requireEnd(bytes: Buffer, end: number): void {
    if (bytes.length > end) throw new Error('The server sent more than one answer.');
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
