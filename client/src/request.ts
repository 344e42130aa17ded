import type { Operation } from './operation.ts';

/** What a caller shows of itself. */
export interface Credentials {
    /** A session token or an API key. */
    token?: string | undefined;
    /** The secret of trusted callers. Never give it to a browser. */
    internal_secret?: string | undefined;
    /** Of a trusted caller: the `user_id` of the account that it acts for, with that account's rights. */
    on_behalf_of?: string | undefined;
    /** Of a trusted caller: the end user's IP address, which guesses of passwords count for. */
    client_address?: string | undefined;
}

export type Input = Readonly<Record<string, unknown>>;

export interface WireRequest {
    method: Operation['method'];
    url: string;
    headers: Record<string, string>;
    body: string | null;
}

/** An operation with its inputs as the request that is sent, however often. */
export function wireRequest(
    operation: Operation,
    input: Input,
    sender: { base_url: string; credentials: Credentials; request_id: string | undefined },
): WireRequest {
    const headers = credentialHeaders(operation, sender.credentials);
    if (sender.request_id !== undefined) headers['X-Request-Id'] = headerValue('request_id', sender.request_id);
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
    const body = operation.body ? JSON.stringify(rest) : null;
    if (body !== null) headers['Content-Type'] = 'application/json';
    const target = [path, query.toString()].filter((part) => part !== '').join('?');
    return { method: operation.method, url: `${sender.base_url}${target}`, headers, body };
}

/** One segment of a path, whatever the text: `fetch` would take `..`, escaped or not, for a way to another operation. */
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

/** `fetch` would repeat in its error what it cannot send, and that may be a secret. */
function headerValue(name: string, text: string): string {
    const value = asHeader(text);
    if (value === undefined) throw new TypeError(`${name} has characters that a header cannot carry, or is empty.`);
    return value;
}

/** The UTF-8 bytes of a text as the characters that `fetch` takes for bytes; undefined where a header would alter them. */
function asHeader(text: string): string | undefined {
    const bytes = String.fromCharCode(...new TextEncoder().encode(text));
    return /^[\x21-\x7e\x80-\xff]([\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/.test(bytes) ? bytes : undefined;
}
