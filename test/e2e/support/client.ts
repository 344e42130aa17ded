import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../../client/src/client.ts';

/** Returns a setting of the service under test. test/run.ts starts the service and sets it. */
function setting(name: string): string {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set: run this file with "npm test -- <file>".`);
    return value;
}

/** Base URLs of the two gateways. */
export const GATEWAYS = setting('E2E_URLS').split(',');
export const INTERNAL_SECRET = setting('E2E_INTERNAL_SECRET');
/** Number of processes that share a gateway's port. */
export const PROCESSES = Number(process.env['E2E_SERVICE_PROCESSES'] ?? 1);
/**
 * Header fields of every request. The kernel chooses the process of a connection, so if there are several, each request
 * gets a new connection.
 */
export const CONNECTION: Record<string, string> = PROCESSES > 1 ? { connection: 'close' } : {};

export interface Call {
    method?: string;
    path: string;
    /** Sent as `Authorization: Bearer …`. */
    token?: string | undefined;
    /** Whether to send the internal secret. */
    internal?: boolean;
    /** Sent as JSON. A string is sent unchanged. */
    body?: unknown;
    headers?: Record<string, string>;
    /** Which gateway, 0 or 1. */
    gateway?: number;
}

export interface Answer {
    status: number;
    headers: Headers;
    text: string;
    /** The parsed body. */
    body: { status: string; message: string; error: string; data: Data };
    data: Data;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the content of answers
type Data = any;

/** The published client with the internal secret. Each answer is checked in the same way as in `send`. */
export const service = createClient({
    base_url: GATEWAYS[0] as string, // there are two
    internal_secret: INTERNAL_SECRET,
    tries: 1, // a refusal is a fault here
    fetch: checkedFetch,
});

export async function checkedFetch(url: string, init: RequestInit): Promise<Response> {
    const response = await answered(url, init);
    const path = url.slice(new URL(url).origin.length);
    checkEverywhere(response, await response.clone().text(), { method: init.method ?? 'GET', path });
    return response;
}

/** The answer to a request. A gateway writes one audit at a time, so a test waits until no other one reads it. */
async function answered(url: string, init: RequestInit): Promise<Response> {
    for (;;) {
        const response = await fetch(url, init);
        if (response.status !== 429 || !url.includes('/internal/v1/audit')) return response;
        const refusal = await response.clone().text();
        if (!refusal.includes('Another export is under way')) return response;
        await delay(50);
    }
}

/**
 * Sends any request, valid or invalid. Checks what holds for every answer: the envelope, the rate limit headers, and
 * that it shows no internals. Returns the answer.
 */
export async function send(call: Call): Promise<Answer> {
    const { method = 'GET', path, token, internal, body, gateway = 0 } = call;
    const headers: Record<string, string> = { ...CONNECTION, ...call.headers };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (internal) headers['x-internal-secret'] = INTERNAL_SECRET;
    if (body !== undefined) headers['content-type'] ??= 'application/json';
    const textBody = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const response = await answered(`${GATEWAYS[gateway]}${path}`, { method, headers, body: textBody });
    const text = await response.text();
    checkEverywhere(response, text, call);
    const isJson = method !== 'HEAD' && /[/+]json/.test(response.headers.get('content-type') ?? '');
    const parsed = isJson ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, text, body: parsed, data: parsed.data };
}

/** Sends a request that must succeed with `status`. Returns the data of the answer. */
export async function expectOk(status: number, call: Call): Promise<Data> {
    const answer = await send(call);
    assert.equal(answer.status, status, `${call.method ?? 'GET'} ${call.path}: ${answer.text}`);
    return answer.data;
}

/** Sends a request that must be refused with `status`. Returns the answer. */
export async function expectError(status: number, call: Call): Promise<Answer> {
    const answer = await send(call);
    assert.equal(answer.status, status, `${call.method ?? 'GET'} ${call.path}: ${answer.text}`);
    assert.equal(answer.body.status, 'error');
    return answer;
}

/** The paths of answers that have no envelope, and their media types. */
const DOCUMENTS: ReadonlyArray<[path: RegExp, contentType: string]> = [
    [/^\/issuers\/[^/]+\/did\.json$/, 'application/did+json'],
    [/^\/\.well-known\//, 'application/json; charset=utf-8'],
    [/^\/v1\/status-lists$/, 'application/json; charset=utf-8'],
    [/^\/v1\/status-lists\/[^/]+$/, 'application/statuslist+jwt'],
    [/^\/internal\/v1\/admin\/users\/import$/, 'application/x-ndjson; charset=utf-8'],
    [/^\/internal\/v1\/audit(?:\?|$)/, 'application/x-ndjson; charset=utf-8'],
    [/^\/v1\/me\/export$/, 'application/x-ndjson; charset=utf-8'],
];

/** The paths that wallets call. Their answers have no envelope. */
const FOR_WALLETS = /^\/issuers\/[^/]+\/(?:offers\/|token$|nonce$|credential$|notification$)/;

/** What every answer carries but public documents, which are kept for other clients. */
const CARRIED: ReadonlyArray<[name: string, form: RegExp]> = [
    ['X-RateLimit-Limit', /^\d+$/],
    ['X-RateLimit-Remaining', /^\d+$/],
    ['X-RateLimit-Reset', /^\d+$/],
    ['X-Request-Id', /./],
];
/** What belongs to the client who asked. */
export const ONE_CLIENTS = [...CARRIED.map(([name]) => name), 'RateLimit', 'RateLimit-Policy'];

function checkEverywhere(response: Response, text: string, { method = 'GET', path }: Call): void {
    const where = `${method} ${path}`;
    assert.ok(response.status < 500, `${where} answered ${response.status}: ${text}`);
    const isPublic = response.headers.get('cache-control')?.includes('public');
    if (isPublic) for (const name of ONE_CLIENTS) assert.equal(response.headers.get(name), null, `${where}: ${name}`);
    else for (const [name, form] of CARRIED) assert.match(response.headers.get(name) ?? '', form, `${where}: ${name}`);
    const isForWallet = FOR_WALLETS.test(path);
    const challenge = response.headers.get('www-authenticate');
    if (isForWallet) assert.equal(challenge !== null, response.status === 401, where);
    else assert.equal(challenge, response.status === 401 ? 'Bearer' : null, where);
    assert.equal(response.headers.get('x-powered-by'), null);
    const document = response.ok ? DOCUMENTS.find(([known]) => known.test(path)) : undefined;
    assert.equal(response.headers.get('content-type'), document?.[1] ?? 'application/json; charset=utf-8', where);
    assert.doesNotMatch(text, /\bat .*\.(ts|js):\d|node_modules|SELECT |INSERT |file:\/\/|127\.0\.0\.1:/, where);
    if (method === 'HEAD' || document || path.split('?')[0] === '/internal/health') return;
    const keys = Object.keys(JSON.parse(text));
    if (isForWallet) {
        if (!response.ok && response.status !== 405) assert.deepEqual(keys, ['error', 'error_description'], where);
        return;
    }
    assert.deepEqual(keys, response.ok ? ['status', 'message', 'data'] : ['status', 'message', 'error'], where);
    assert.ok(
        keys.every((key) => key === 'data' || typeof JSON.parse(text)[key] === 'string'),
        where,
    );
}
