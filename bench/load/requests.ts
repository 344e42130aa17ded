import { readFileSync, writeFileSync } from 'node:fs';

export interface HttpRequest {
    method: 'GET' | 'POST';
    path: string;
    token?: string;
    idempotencyKey?: string;
    body?: unknown;
    /** The body of a form, instead of JSON. */
    form?: Record<string, string>;
}

const LENGTH_BYTES = 4;

/** Returns the bytes of a request as they are sent. */
export function encodeRequest({ method, path, token, idempotencyKey, body, form }: HttpRequest): Buffer {
    const text = form ? new URLSearchParams(form).toString() : body === undefined ? '' : JSON.stringify(body);
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: bench'];
    if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
    if (idempotencyKey !== undefined) lines.push(`Idempotency-Key: ${idempotencyKey}`);
    if (text !== '') lines.push(`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(text)}`);
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`);
}

/** Writes the requests to a file in the form in which they are sent, so that the load process only has to send them. */
export function writeRequests(file: string, requests: readonly HttpRequest[]): void {
    const pieces = requests.flatMap((request) => {
        const bytes = encodeRequest(request);
        const length = Buffer.alloc(LENGTH_BYTES);
        length.writeUInt32LE(bytes.length);
        return [length, bytes];
    });
    writeFileSync(file, Buffer.concat(pieces));
}

export function readRequests(file: string): Buffer[] {
    const all = readFileSync(file);
    const requests: Buffer[] = [];
    for (let offset = 0; offset < all.length; ) {
        const start = offset + LENGTH_BYTES;
        offset = start + all.readUInt32LE(offset);
        requests.push(all.subarray(start, offset));
    }
    return requests;
}
