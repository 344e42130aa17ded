import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import helmet from 'helmet';
import type { AppError } from '../../platform/errors.ts';
import { drained } from '../../platform/http/drained.ts';
import { stringifyJson } from '../../platform/json.ts';
import { codingFor, type DocumentType, entityTag, matchesTag, type PublicDocument } from '../documents.ts';
import { NDJSON_TYPE } from './body-lines.ts';
import type { Exchange, Headers } from './exchange.ts';

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

/** Maximum number of unsent bytes of an answer in lines. Beyond it: no more lines are read until the client reads. */
const MAX_UNSENT_LINES_BYTES = 4 << 20;

/**
 * Writes `message` and `data` in the success envelope. With `hasTag`, the answer has an entity tag, and a client that
 * has the same answer already gets 304 without a body.
 */
export function writeSuccess(
    response: ServerResponse,
    {
        status,
        message,
        data,
        headers,
        hasTag = false,
    }: { status: number; message: string; data: unknown; headers: Headers; hasTag?: boolean | undefined },
): void {
    const text = `{"status":"success","message":${JSON.stringify(message)},"data":${stringifyJson(data)}}`;
    const etag = hasTag ? entityTag(text) : undefined;
    const all = etag === undefined ? headers : { ...headers, ETag: etag, 'Cache-Control': 'private, no-cache' };
    if (etag !== undefined && matchesTag(response.req, etag))
        response.writeHead(304, { ...SECURITY_HEADERS, ...all }).end();
    else writeText(response, status, text, all);
}

/** Writes a body without the envelope (health). */
export function writeBare(
    response: ServerResponse,
    { status, data, headers }: { status: number; data: unknown; headers: Headers },
): void {
    writeText(response, status, stringifyJson(data), headers);
}

/**
 * Sends a document, which anybody may keep. Sends 304 without a body if the client already has it. A proxy gives it to
 * other clients, so it carries neither the request's id nor the state of the client's rate limit.
 */
export function writeDocument(
    { response, headers: own }: Pick<Exchange, 'response' | 'headers'>,
    { document, contentType, maxAgeSeconds, more = {} }: DocumentType & { document: PublicDocument; more?: Headers },
): void {
    const { 'X-Request-Id': _, Vary, ...shared } = own;
    const coding = codingFor(response.req.headers['accept-encoding'], document.bodies);
    // Each content coding is a separate representation (RFC 9110, section 8.8.3.3).
    const etag = coding === 'identity' ? document.etag : `${document.etag.slice(0, -1)}-${coding}"`;
    const allHeaders = {
        ...SECURITY_HEADERS,
        'Cache-Control': `public, max-age=${maxAgeSeconds}`,
        ...shared,
        ...more,
        ETag: etag,
        Vary: Vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${Vary}`,
    };
    if (matchesTag(response.req, etag)) {
        response.writeHead(304, allHeaders).end();
        return;
    }
    const body = document.bodies[coding] ?? document.bodies.identity;
    const described = { 'Content-Type': contentType, 'Content-Length': body.length };
    const encoded = coding === 'identity' ? {} : { 'Content-Encoding': coding };
    response.writeHead(200, { ...allHeaders, ...described, ...encoded }).end(body);
}

/**
 * Writes the success envelope around data that arrives in pieces of JSON text. Waits while the client reads slowly,
 * unless the data `isInMemory` already: what the client has not read then counts as its unsent answer.
 */
export async function writeStream(
    response: ServerResponse,
    {
        status,
        message,
        pieces,
        headers,
        isInMemory = false,
    }: {
        status: number;
        message: string;
        pieces: AsyncIterable<string>;
        headers: Headers;
        isInMemory?: boolean;
    },
): Promise<void> {
    response.writeHead(status, { ...commonHeaders(), ...headers });
    if (response.req.method === 'HEAD') {
        response.end(); // nobody would read the other pages
        return;
    }
    response.write(`{"status":"success","message":${JSON.stringify(message)},"data":`);
    for await (const piece of pieces) {
        if (response.destroyed) return;
        if (!response.write(piece) && !isInMemory) await drained(response);
        if (response.destroyed) return; // so that the next page is not read
    }
    response.end('}');
}

/**
 * Writes lines of JSON in the groups in which they come, the head with the first of them. Many clients read nothing
 * before they have sent everything, so it waits for the reader only when much is unsent. With `waits` it waits after
 * each group.
 */
export async function writeLines(
    response: ServerResponse,
    {
        status,
        groups,
        headers,
        waits = false,
    }: { status: number; groups: AsyncIterable<string>; headers: () => Headers; waits?: boolean },
): Promise<void> {
    const most = waits ? 0 : MAX_UNSENT_LINES_BYTES;
    for await (const group of groups) {
        if (response.destroyed) return;
        if (!response.headersSent) {
            const type = { 'Content-Type': `${NDJSON_TYPE}; charset=utf-8` };
            response.writeHead(status, { ...commonHeaders(), ...type, ...headers() });
        }
        if (response.req.method === 'HEAD') break; // nobody would read the other groups
        if (!response.write(group) && response.writableLength > most) await drained(response);
        if (response.destroyed) return; // so that the next group is not read
    }
    response.end();
}

/**
 * Writes an error at once. The response ends only after `rest` resolves, when the rest of the request body has been
 * read or cut off. `text`: what is written instead of the envelope.
 */
export async function writeError(
    response: ServerResponse,
    error: AppError,
    {
        headers,
        rest,
        text = errorText(error),
    }: { headers: Headers; rest: Promise<void> | undefined; text?: string | undefined },
): Promise<void> {
    const allHeaders = { ...errorHeaders(error), ...headers };
    if (!rest) {
        writeText(response, error.httpStatus, text, allHeaders);
        return;
    }
    writeHead(response, error.httpStatus, text, allHeaders);
    if (response.req.method === 'HEAD')
        response.flushHeaders(); // there is no body to send them with
    else response.write(text);
    await rest;
    response.end();
}

/** Returns a function that writes this error. The header fields of the error are built only once. `text`: as above. */
export function errorWriter(
    error: AppError,
    text = errorText(error),
): (response: ServerResponse, headers: Headers) => void {
    const fixed = { ...commonHeaders(), ...errorHeaders(error), 'Content-Length': Buffer.byteLength(text) };
    return (response, headers) => void response.writeHead(error.httpStatus, { ...fixed, ...headers }).end(text);
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
    socket.end(`HTTP/1.1 ${error.httpStatus} ${STATUS_CODES[error.httpStatus]}\r\n${lines.join('')}\r\n${text}`);
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
