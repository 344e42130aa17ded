import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { GATEWAYS } from './client.ts';

export interface RawCall {
    method?: string;
    /** Sent as it is. */
    path: string;
    /** Sent in this order, repetitions included; `Host` is added. */
    headers?: ReadonlyArray<readonly [name: string, value: string]>;
    body?: string;
    gateway?: number;
    /** The address to call from: every one of 127.0.0.0/8 is ours. */
    from?: string;
}

export interface RawAnswer {
    status: number;
    headers: IncomingHttpHeaders;
    text: string;
}

/** Sends what fetch cannot: header fields repeated, empty or odd, another address of the caller. */
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
        sent.end(Buffer.from(body)); // a string would carry the header along in its own encoding
    });
}
