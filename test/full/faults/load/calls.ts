import { connect, type Socket } from 'node:net';
import { keptAlive } from '../../process/service/balanced-connection.ts';

export interface Request {
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
    path: string;
    /** Sent as `Authorization: Bearer …`. */
    token?: string;
    /** Whether to send the internal secret. */
    internal?: boolean;
    /** Sent as `Idempotency-Key`. */
    idempotencyKey?: string;
    body?: unknown;
}

/** The fields of `data` in an answer. An error has none. */
export type Data = Record<string, unknown>;

export interface Answer {
    status: number;
    /** X-Error-Code. */
    code?: string;
    /** Whether the answer has Retry-After. */
    hasRetryAfter: boolean;
    /** The cursor of a list's next page. */
    next?: string;
    data: Data;
}

/** `lost` is the reason if no answer came. */
export type Outcome = (Answer | { lost: string }) & { tookMs: number };

/** Sends a request to the gateway with this index. */
export type Send = (gateway: number, request: Request) => Promise<Outcome>;

/** A client gives up after this long (ms), far beyond the deadline of the service, so that hung requests show. */
const GIVE_UP_MS = 25_000;

/** A client with one kept-alive connection to each gateway. It never repeats a request. */
export function httpClient(ports: readonly number[], internalSecret: string): { send: Send; close(): void } {
    return clientOn(
        ports.map((port) => keptAlive(() => connect({ host: '127.0.0.1', port, noDelay: true }))),
        internalSecret,
    );
}

/** A client with a single kept-alive connection, opened by `open`, which it uses for every gateway index. */
export function balancedClient(gateways: number, open: () => Socket, internalSecret: string) {
    const connection = keptAlive(open);
    return clientOn(
        Array.from({ length: gateways }, () => connection),
        internalSecret,
    );
}

type Connection = ReturnType<typeof keptAlive>;

function clientOn(connections: readonly Connection[], internalSecret: string): { send: Send; close(): void } {
    return {
        send: async (gateway, request) => {
            const began = performance.now();
            const took = (): number => performance.now() - began;
            const connection = connections[gateway];
            if (!connection) throw new RangeError(`There is no gateway ${gateway}.`);
            try {
                const response = await connection.send(
                    `http://gateway${request.path}`,
                    initOf(request, internalSecret),
                );
                return { ...(await answerOf(response)), tookMs: took() };
            } catch (error) {
                return { lost: lossOf(error), tookMs: took() };
            }
        },
        close: () => {
            for (const connection of connections) connection.close();
        },
    };
}

/** Returns whether the service has acknowledged the request. */
export function isAcknowledged(outcome: Outcome | undefined): outcome is Answer & { tookMs: number } {
    return outcome !== undefined && 'status' in outcome && outcome.status < 300;
}

/** Returns whether the answer was 4xx, so that the service has certainly done nothing. */
export function isRefused(outcome: Outcome | undefined): boolean {
    return outcome !== undefined && 'status' in outcome && outcome.status >= 400 && outcome.status < 500;
}

function initOf({ method, token, internal, idempotencyKey, body }: Request, internalSecret: string): RequestInit {
    const headers: Record<string, string> = {};
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (internal) headers['x-internal-secret'] = internalSecret;
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    if (body === undefined) return { method, headers, signal };
    const text = JSON.stringify(body);
    headers['content-type'] = 'application/json';
    headers['content-length'] = String(Buffer.byteLength(text)); // Node omits it for DELETE
    return { method, headers, signal, body: text };
}

async function answerOf(response: Response): Promise<Answer> {
    const body = (await response.json()) as { data?: Data } & Data; // the envelope, or the plain document of health
    const code = response.headers.get('x-error-code');
    const link = /<([^>]+)>; *rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    const next = link && new URL(link, 'http://any').searchParams.get('cursor');
    return {
        status: response.status,
        ...(code !== null && { code }),
        ...(next && { next }),
        hasRetryAfter: response.headers.has('retry-after'),
        data: body.data ?? (body['services'] ? body : {}),
    };
}

function lossOf(error: unknown): string {
    const { code, name, message } = error as NodeJS.ErrnoException; // sockets and fetch fail with Errors
    return code ?? (name === 'Error' ? message : name);
}
