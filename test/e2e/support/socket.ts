import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { GATEWAYS } from './client.ts';

export interface SocketAnswer {
    status: number;
    /** Names in lower case. */
    headers: Record<string, string>;
    body: string;
}

/** A connection to a gateway on which the test itself writes every byte. */
export interface Connection {
    write(data: string | Uint8Array): void;
    /** Ends the sending side. */
    end(): void;
    /** Stops reading, until resume() is called. */
    pause(): void;
    resume(): void;
    /** The status of the next answer, as soon as it is known. */
    status(): Promise<number>;
    /** The next complete answer, or undefined if the connection ends before it. */
    next(): Promise<SocketAnswer | undefined>;
    /** Resolves when the gateway has closed the connection. Fails if that takes longer than `withinMs`. */
    closed(withinMs?: number): Promise<void>;
    destroy(): void;
}

/** Longest wait for an answer, or for the next part of it, in milliseconds. */
const TIMEOUT_MS = 25_000;

export function open(gateway = 0): Connection {
    const { hostname, port } = new URL(GATEWAYS[gateway] as string); // there are two
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let chunks: Buffer[] = [];
    let ended = false;
    socket.on('data', (chunk) => chunks.push(chunk));
    for (const event of ['end', 'close', 'error']) {
        socket.on(event, () => {
            ended = true;
        });
    }

    async function until(reached: () => boolean, withinMs: number, what: string): Promise<void> {
        let giveUp = performance.now() + withinMs;
        for (let read = chunks.length; !reached(); await delay(5)) {
            if (chunks.length > read) giveUp = performance.now() + withinMs; // a long answer may take longer
            read = chunks.length;
            assert.ok(performance.now() < giveUp, `${what} within ${withinMs} ms`);
        }
    }

    return {
        write: (data) => socket.write(data),
        end: () => socket.end(),
        pause: () => socket.pause(),
        resume: () => socket.resume(),
        async status() {
            let found: string | undefined;
            const begun = () => {
                found = /^HTTP\/1\.1 (\d{3}) /.exec(Buffer.concat(chunks.slice(0, 1)).toString('latin1'))?.[1];
                return found !== undefined || ended;
            };
            await until(begun, TIMEOUT_MS, 'no answer');
            return Number(found);
        },
        async next() {
            let taken: { answer: SocketAnswer; rest: Buffer } | undefined;
            let seen = -1;
            const arrived = () => {
                if (chunks.length === seen && !ended) return false;
                seen = chunks.length;
                taken = takeAnswer(Buffer.concat(chunks));
                return taken !== undefined || ended;
            };
            await until(arrived, TIMEOUT_MS, 'no answer');
            if (taken) chunks = [taken.rest];
            return taken?.answer;
        },
        closed: (withinMs = 2_000) => until(() => ended, withinMs, 'the connection was not closed'),
        destroy: () => socket.destroy(),
    };
}

/** Sends `data` on a new connection. Returns the first answer. */
export async function exchange(data: string | Uint8Array, gateway = 0): Promise<SocketAnswer | undefined> {
    const connection = open(gateway);
    connection.write(data);
    try {
        return await connection.next();
    } finally {
        connection.destroy();
    }
}

/** The text of a request; `headers` are lines. Host is added. */
export function requestText(start: string, headers: readonly string[] = [], body = ''): string {
    return `${[`${start} HTTP/1.1`, 'Host: test', ...headers].join('\r\n')}\r\n\r\n${body}`;
}

/** Asserts the status, the headers and the error envelope of an answer. */
export function assertRefused(answer: SocketAnswer | undefined, status: number): void {
    assert.ok(answer, 'the connection ended without an answer');
    assert.equal(answer.status, status, answer.body);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    for (const name of ['limit', 'remaining', 'reset']) {
        assert.match(answer.headers[`x-ratelimit-${name}`] ?? '', /^\d+$/, `X-RateLimit-${name}`);
    }
    assert.ok(answer.headers['x-request-id']);
    const body = JSON.parse(answer.body);
    assert.deepEqual(Object.keys(body), ['status', 'message', 'error']);
    assert.equal(body.status, 'error');
    assert.ok(body.message !== '' && body.error !== '');
}

/** Returns the first complete answer in the bytes and the rest after it, or undefined if there is none yet. */
export function takeAnswer(bytes: Buffer): { answer: SocketAnswer; rest: Buffer } | undefined {
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const [start = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]);
    const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const rest = bytes.subarray(headEnd + 4);
    if (status === 100) return takeAnswer(rest);
    const taken = headers['transfer-encoding'] === 'chunked' ? takeChunks(rest) : takeLength(rest, headers);
    return taken && { answer: { status, headers, body: taken.body.toString() }, rest: taken.rest };
}

function takeLength(bytes: Buffer, headers: Record<string, string>) {
    const length = Number(headers['content-length'] ?? 0);
    if (bytes.length < length) return undefined;
    return { body: bytes.subarray(0, length), rest: bytes.subarray(length) };
}

function takeChunks(bytes: Buffer) {
    const chunks: Buffer[] = [];
    let at = 0;
    for (;;) {
        const lineEnd = bytes.indexOf('\r\n', at);
        if (lineEnd < 0) return undefined;
        const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
        const end = lineEnd + 2 + size;
        if (bytes.length < end + 2) return undefined;
        chunks.push(bytes.subarray(lineEnd + 2, end));
        at = end + 2;
        if (size === 0) return { body: Buffer.concat(chunks), rest: bytes.subarray(at) };
    }
}

/** Calls `use` with a new connection, and closes the connection afterwards. */
export async function withConnection(use: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = open();
    try {
        await use(connection);
    } finally {
        connection.destroy();
    }
}
