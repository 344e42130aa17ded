import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { GATEWAYS } from './client.ts';

interface RawCall {
    method?: string;
    /** Sent unchanged. */
    path: string;
    /** Sent in this order, repetitions included; `Host` is added. */
    headers?: ReadonlyArray<readonly [name: string, value: string]>;
    body?: string;
    gateway?: number;
    /** Local address to call from. Every address in 127.0.0.0/8 can be used. */
    from?: string;
}

export interface RawAnswer {
    status: number;
    headers: IncomingHttpHeaders;
    text: string;
}

/** Sends requests that fetch cannot send: with repeated, empty or invalid headers, or from another local address. */
export async function sendRaw(call: RawCall): Promise<RawAnswer> {
    const { method = 'GET', path, headers = [], body = '', gateway = 0, from = '127.0.0.1' } = call;
    const { hostname, port, host } = new URL(GATEWAYS[gateway] as string); // there are two
    const framing = method === 'GET' ? [] : ['Content-Length', String(Buffer.byteLength(body))];
    return new Promise((resolve, reject) => {
        const sent = request({
            hostname,
            port,
            method,
            path,
            localAddress: from,
            agent: false,
            headers: ['Host', host, ...framing, ...headers.flat()],
        });
        sent.on('error', reject);
        sent.on('response', (response) => {
            text(response).then(
                (answer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answer }),
                reject,
            );
        });
        sent.end(Buffer.from(body)); // with a string, Node would send the header in the encoding of the body
    });
}

/**
 * Returns a function that sends a raw body with `token` to an endpoint that accepts any object, because all of its
 * fields are optional.
 */
export function bodySender(token: string) {
    return async (body: RequestInit['body'], headers: Record<string, string> = {}) => {
        const response = await fetch(`${GATEWAYS[0]}/v1/did`, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
            body,
            duplex: 'half',
        } as RequestInit); // the type has no `duplex`
        const answer = await response.text();
        const { status, error } = JSON.parse(answer);
        assert.equal(status, response.ok ? 'success' : 'error');
        assert.ok(response.ok || (typeof error === 'string' && error !== ''), answer);
        return { status: response.status, error: String(error) };
    };
}
