import type { Operation } from './operation.ts';

/** The credentials of a caller. */
export interface Credentials {
    /** A session token or an API key. */
    token?: string | undefined;
    /** The secret of trusted callers. Never give it to a browser. */
    internal_secret?: string | undefined;
    /** For trusted callers: the `user_id` of the account to act for, with that account's rights. */
    on_behalf_of?: string | undefined;
    /** For trusted callers: the end user's IP address, for which password guesses are counted. */
    client_address?: string | undefined;
}

export type Input = Readonly<Record<string, unknown>>;

export interface WireRequest {
    method: Operation['method'];
    url: string;
    headers: Record<string, string>;
    body: string | null;
}

/** Builds the request of an operation with its inputs. The request can be sent repeatedly. Throws TypeError. */
export function wireRequest(
    operation: Operation,
    input: Input,
    sender: {
        base_url: string;
        credentials: Credentials;
        request_id: string | undefined;
        idempotency_key?: string | undefined;
    },
): WireRequest {
    const headers = credentialHeaders(operation, sender.credentials);
    if (sender.request_id !== undefined) headers['X-Request-Id'] = headerValue('request_id', sender.request_id);
    if (operation.idempotent === 'by-key') {
        const { idempotency_key = uuid() } = sender;
        headers['Idempotency-Key'] = quoted(headerValue('idempotency_key', idempotency_key));
    }
    const rest: Record<string, unknown> = { ...input };
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const value = rest[name];
        delete rest[name];
        return pathSegment(name, value);
    });
    const query = new URLSearchParams();
    for (const name of operation.query) {
        const value = rest[name];
        delete rest[name];
        if (value === undefined || value === null) continue;
        const field = operation.headers[name];
        const carried = field === undefined ? undefined : asHeader(String(value));
        if (field !== undefined && carried !== undefined) headers[field] = carried;
        else query.set(name, String(value));
    }
    const body = operation.body ? bodyOf(operation, rest) : null;
    if (body !== null) headers['Content-Type'] = bodyTypeOf(operation);
    const target = [path, query.toString()].filter((part) => part !== '').join('?');
    return { method: operation.method, url: `${sender.base_url}${target}`, headers, body };
}

function bodyTypeOf({ lines, form }: Operation): string {
    if (form) return 'application/x-www-form-urlencoded';
    return lines ? 'application/x-ndjson' : 'application/json';
}

function bodyOf({ lines, form }: Operation, input: Input): string {
    if (form) {
        const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
        return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
    }
    if (!lines) return JSON.stringify(input);
    const items = input[lines.sent] as readonly unknown[]; // the generated types say so
    return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

/** Creates a UUIDv4 (RFC 9562). Browsers offer `crypto.randomUUID` only to pages that were loaded over TLS. */
function uuid(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Encodes a text as a String of RFC 8941, so that a key may begin with a quote. */
function quoted(text: string): string {
    return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/**
 * Encodes a text as one segment of a path. Dots are refused, because `fetch` would resolve `..`, escaped or not, to the
 * path of another operation.
 */
function pathSegment(name: string, value: unknown): string {
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) {
        throw new TypeError(`${name} must be a string, and neither empty nor dots.`);
    }
    return encodeURIComponent(value);
}

function credentialHeaders(operation: Operation, credentials: Credentials): Record<string, string> {
    const { token, internal_secret, on_behalf_of, client_address } = credentials;
    const headers: Record<string, string> = {};
    if (operation.credentials.includes('token') && token !== undefined) {
        headers['Authorization'] = `Bearer ${headerValue('token', token)}`;
    }
    if (!operation.credentials.includes('internal_secret') || internal_secret === undefined) return headers;
    headers['X-Internal-Secret'] = headerValue('internal_secret', internal_secret);
    if (on_behalf_of !== undefined) headers['X-On-Behalf-Of'] = headerValue('on_behalf_of', on_behalf_of);
    if (client_address !== undefined) headers['X-Client-Address'] = headerValue('client_address', client_address);
    return headers;
}

/**
 * Returns the value for a header field. Throws TypeError if a header cannot carry it: the error of `fetch` would
 * contain the value, which may be a secret.
 */
function headerValue(name: string, text: string): string {
    const value = asHeader(text);
    if (value === undefined) throw new TypeError(`${name} has characters that a header cannot carry, or is empty.`);
    return value;
}

/**
 * Converts a text so that `fetch`, which sends each character of a header as one byte, sends its UTF-8 bytes. Undefined
 * if a header would alter them.
 */
function asHeader(text: string): string | undefined {
    const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
    return /^[\x21-\x7e\x80-\xff]([\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/.test(bytes) ? bytes : undefined;
}
