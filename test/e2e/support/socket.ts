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

/** A connection to a gateway, on which every byte is the test's own. */
export interface Connection {
    write(data: string | Uint8Array): void;
    /** Ends the sending side. */
    end(): void;
    /** Stops reading, or goes on. */
    pause(): void;
    resume(): void;
    /** The status of the next answer, as soon as it is known. */
    status(): Promise<number>;
    /** The next whole answer; undefined where the connection ends before one. */
    next(): Promise<SocketAnswer | undefined>;
    /** Resolves when the other side has closed; fails where it does not in time. */
    closed(within_ms?: number): Promise<void>;
    destroy(): void;
}

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

    async function until(reached: () => boolean, within_ms: number, what: string): Promise<void> {
        const give_up = performance.now() + within_ms;
        while (!reached()) {
            assert.ok(performance.now() < give_up, `${what} within ${within_ms} ms`);
            await delay(5);
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
        closed: (within_ms = 2_000) => until(() => ended, within_ms, 'the connection was not closed'),
        destroy: () => socket.destroy(),
    };
}

/** Sends `data` on a connection of its own, and gives the first answer. */
export async function exchange(data: string | Uint8Array, gateway = 0): Promise<SocketAnswer | undefined> {
    const connection = open(gateway);
    connection.write(data);
    try {
        return await connection.next();
    } finally {
        connection.destroy();
    }
}

/** A request's text; `headers` are lines. Host is added. */
export function requestText(start: string, headers: readonly string[] = [], body = ''): string {
    return `${[`${start} HTTP/1.1`, 'Host: test', ...headers].join('\r\n')}\r\n\r\n${body}`;
}

/** Checks the error envelope of an answer. */
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

/** The first whole answer in the bytes, and what follows it; undefined where there is none. */
export function takeAnswer(bytes: Buffer): { answer: SocketAnswer; rest: Buffer } | undefined {
    const head_end = bytes.indexOf('\r\n\r\n');
    if (head_end < 0) return undefined;
    const [start = '', ...lines] = bytes.subarray(0, head_end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]);
    const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const rest = bytes.subarray(head_end + 4);
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
        const line_end = bytes.indexOf('\r\n', at);
        if (line_end < 0) return undefined;
        const size = Number.parseInt(bytes.subarray(at, line_end).toString('latin1'), 16);
        const end = line_end + 2 + size;
        if (bytes.length < end + 2) return undefined;
        chunks.push(bytes.subarray(line_end + 2, end));
        at = end + 2;
        if (size === 0) return { body: Buffer.concat(chunks), rest: bytes.subarray(at) };
    }
}

/** A connection that is gone when the test is done. */
export async function withConnection(use: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = open();
    try {
        await use(connection);
    } finally {
        connection.destroy();
    }
}
