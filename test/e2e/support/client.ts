import assert from 'node:assert/strict';
import { createClient } from '../../../client/src/client.ts';

/** The service under test, as test/run.ts has started it. */
function setting(name: string): string {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set: run this file by "npm test -- <file>".`);
    return value;
}

/** Base URLs of the two gateways. */
export const GATEWAYS = setting('E2E_URLS').split(',');
export const INTERNAL_SECRET = setting('E2E_INTERNAL_SECRET');

export interface Call {
    method?: string;
    path: string;
    /** Sent as `Authorization: Bearer …`. */
    token?: string | undefined;
    /** Whether to send the internal secret. */
    internal?: boolean;
    /** Sent as JSON; a string is sent as it is. */
    body?: unknown;
    headers?: Record<string, string>;
    /** Which gateway, 0 or 1. */
    gateway?: number;
}

export interface Answer {
    status: number;
    headers: Headers;
    text: string;
    /** The body as parsed. */
    body: { status: string; message: string; error: string; data: Data };
    data: Data;
}

/** What answers hold is asserted by the tests: reading it needs no types. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Data = any;

/** The service as its users have it, for a trusted caller; each answer is checked as those of `send` are. */
export const service = createClient({
    base_url: GATEWAYS[0] as string, // there are two
    internal_secret: INTERNAL_SECRET,
    tries: 1, // what is refused here is a fault
    fetch: checkedFetch,
});

export async function checkedFetch(url: string, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    const path = url.slice(new URL(url).origin.length);
    checkEverywhere(response, await response.clone().text(), { method: init.method ?? 'GET', path });
    return response;
}

/** Sends any request, good or bad, and checks what holds for every answer: the envelope, the limit's headers, and no word too many. */
export async function send(call: Call): Promise<Answer> {
    const { method = 'GET', path, token, internal, body, gateway = 0 } = call;
    const headers: Record<string, string> = { ...call.headers };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (internal) headers['x-internal-secret'] = INTERNAL_SECRET;
    if (body !== undefined) headers['content-type'] ??= 'application/json';
    const text_body = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${GATEWAYS[gateway]}${path}`, { method, headers, body: text_body });
    const text = await response.text();
    checkEverywhere(response, text, call);
    const parsed = method === 'HEAD' ? {} : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, body: parsed, data: parsed.data };
}

/** Sends a request that must succeed with `status`, and gives its data. */
export async function expectOk(status: number, call: Call): Promise<Data> {
    const answer = await send(call);
    assert.equal(answer.status, status, `${call.method ?? 'GET'} ${call.path}: ${answer.text}`);
    return answer.data;
}

/** Sends a request that must be refused with `status`, and gives the answer. */
export async function expectError(status: number, call: Call): Promise<Answer> {
    const answer = await send(call);
    assert.equal(answer.status, status, `${call.method ?? 'GET'} ${call.path}: ${answer.text}`);
    assert.equal(answer.body.status, 'error');
    return answer;
}

function checkEverywhere(response: Response, text: string, { method, path }: Call): void {
    const where = `${method ?? 'GET'} ${path}`;
    assert.ok(response.status < 500, `${where} answered ${response.status}: ${text}`);
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
        assert.match(response.headers.get(name) ?? '', /^\d+$/, `${where}: ${name}`);
    }
    assert.ok(response.headers.get('x-request-id'), `${where}: X-Request-Id`);
    assert.equal(response.headers.get('www-authenticate'), response.status === 401 ? 'Bearer' : null, where);
    assert.equal(response.headers.get('x-powered-by'), null);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8', where);
    assert.doesNotMatch(text, /\bat .*\.(ts|js):\d|node_modules|SELECT |INSERT |file:\/\/|127\.0\.0\.1:/, where);
    if (method === 'HEAD' || path.split('?')[0] === '/internal/health') return;
    const keys = Object.keys(JSON.parse(text));
    assert.deepEqual(keys, response.ok ? ['status', 'message', 'data'] : ['status', 'message', 'error'], where);
    assert.ok(
        keys.every((key) => key === 'data' || typeof JSON.parse(text)[key] === 'string'),
        where,
    );
}
