import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import helmet from 'helmet';
import type { AppError } from '../../platform/errors.ts';
import { stringifyJson } from '../../platform/json.ts';
import type { Decision } from '../admission/limit-decision.ts';
import { codingFor, type StaticPage } from '../pages.ts';
import type { Exchange } from './exchange.ts';

type Headers = Record<string, string | number>;

/** The header fields that helmet sets on each answer. They are constant, so they are computed once. */
const SECURITY_HEADERS: Headers = (() => {
    const headers: Headers = {};
    const response = {
        setHeader: (name: string, value: string) => {
            headers[name] = value;
        },
        removeHeader: () => {},
    };
    // helmet only sets headers on the response that it receives.
    helmet()({} as never, response as never, () => {});
    return headers;
})();

const WINDOW_SECONDS = 60;

/** The limit's state as the header fields of the interface, and as those of the IETF draft. */
export function limitHeaders({ limit, remaining, reset, wait }: Decision): Headers {
    return {
        'X-RateLimit-Limit': limit,
        'X-RateLimit-Remaining': remaining,
        'X-RateLimit-Reset': reset,
        RateLimit: `"default";r=${remaining};t=${wait}`,
        'RateLimit-Policy': `"default";q=${limit};w=${WINDOW_SECONDS}`,
    };
}

/** The header fields that are specific to this exchange. */
export function headersOf({ decision, headers }: Exchange): Headers {
    return decision ? { ...limitHeaders(decision), ...headers } : headers;
}

/** `message` and `data` in the success envelope. */
export function writeSuccess(
    response: ServerResponse,
    { status, message, data, headers }: { status: number; message: string; data: unknown; headers: Headers },
): void {
    const text = `{"status":"success","message":${JSON.stringify(message)},"data":${stringifyJson(data)}}`;
    writeText(response, status, text, headers);
}

/** A body without envelope (health). */
export function writeBare(
    response: ServerResponse,
    { status, data, headers }: { status: number; data: unknown; headers: Headers },
): void {
    writeText(response, status, stringifyJson(data), headers);
}

/**
 * Sends a page for people or tools, which clients may cache for a while; 304 without a body if the client has it
 * already.
 */
export function writePage(response: ServerResponse, { page, headers }: { page: StaticPage; headers: Headers }): void {
    const { 'if-none-match': known, 'accept-encoding': accept } = response.req.headers;
    const coding = codingFor(accept);
    // Each content coding is a separate representation (RFC 9110, section 8.8.3.3).
    const etag = coding === 'identity' ? page.etag : `${page.etag.slice(0, -1)}-${coding}"`;
    const { Vary } = headers;
    const all_headers = {
        ...SECURITY_HEADERS,
        'Content-Security-Policy': page.policy,
        'Cache-Control': 'public, max-age=300',
        ...headers,
        ETag: etag,
        Vary: Vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${Vary}`,
    };
    if (known?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)) {
        response.writeHead(304, all_headers).end();
        return;
    }
    const body = page.bodies[coding];
    const described = { 'Content-Type': page.content_type, 'Content-Length': body.length };
    const encoded = coding === 'identity' ? {} : { 'Content-Encoding': coding };
    response.writeHead(200, { ...all_headers, ...described, ...encoded }).end(body);
}

/** Writes the success envelope around data that comes in pieces of JSON text. Waits while the reader is slow. */
export async function writeStream(
    response: ServerResponse,
    {
        status,
        message,
        pieces,
        headers,
    }: { status: number; message: string; pieces: AsyncIterable<string>; headers: Headers },
): Promise<void> {
    response.writeHead(status, { ...commonHeaders(), ...headers });
    response.write(`{"status":"success","message":${JSON.stringify(message)},"data":`);
    for await (const piece of pieces) {
        if (response.destroyed) return;
        if (!response.write(piece)) await drained(response);
        if (response.destroyed) return; // before the next page is read
    }
    response.end('}');
}

/** Resolves when the response can take more, or when the client has gone. */
function drained(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
        const done = () => {
            response.off('drain', done).off('close', done);
            resolve();
        };
        response.on('drain', done).on('close', done);
    });
}

/**
 * Writes an error at once. The response ends only when `rest`, the part of the request that is still to come, has been
 * dealt with.
 */
export async function writeError(
    response: ServerResponse,
    error: AppError,
    { headers, rest }: { headers: Headers; rest: Promise<void> | undefined },
): Promise<void> {
    const text = errorText(error);
    const all_headers = { ...errorHeaders(error), ...headers };
    if (!rest) {
        writeText(response, error.http_status, text, all_headers);
        return;
    }
    writeHead(response, error.http_status, text, all_headers);
    if (response.req.method === 'HEAD')
        response.flushHeaders(); // there is no body that would carry them
    else response.write(text);
    await rest;
    response.end();
}

/** Writes one error many times: its body and its own header fields are built only once. */
export function errorWriter(error: AppError): (response: ServerResponse, headers: Headers) => void {
    const text = errorText(error);
    const fixed = { ...commonHeaders(), ...errorHeaders(error), 'Content-Length': Buffer.byteLength(text) };
    return (response, headers) => void response.writeHead(error.http_status, { ...fixed, ...headers }).end(text);
}

/** Answers a request that the HTTP parser could not read, and closes its connection. */
export function writeToSocket(socket: Socket, error: AppError, more: Headers): void {
    const text = errorText(error);
    const headers: Headers = {
        ...commonHeaders(),
        ...errorHeaders(error),
        ...more,
        'Content-Length': Buffer.byteLength(text),
        Connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${error.http_status} ${STATUS_CODES[error.http_status]}\r\n${lines.join('')}\r\n${text}`);
}

function errorText(error: AppError): string {
    return JSON.stringify({ status: 'error', message: error.summary, error: error.detail });
}

function errorHeaders(error: AppError): Headers {
    const headers: Headers = { 'X-Error-Code': error.kind };
    if (error.kind === 'unauthenticated') headers['WWW-Authenticate'] = 'Bearer'; // RFC 9110, 15.5.2
    if (error.retry_after !== undefined) headers['Retry-After'] = error.retry_after;
    return headers;
}

function commonHeaders(): Headers {
    return { ...SECURITY_HEADERS, 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
}

function writeText(response: ServerResponse, status: number, text: string, headers: Headers): void {
    writeHead(response, status, text, headers);
    response.end(text);
}

function writeHead(response: ServerResponse, status: number, text: string, headers: Headers): void {
    response.writeHead(status, { ...commonHeaders(), ...headers, 'Content-Length': Buffer.byteLength(text) });
}
