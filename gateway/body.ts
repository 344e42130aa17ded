import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../platform/errors.ts';
import { JsonError, parseJson } from '../platform/json.ts';

const MAX_BODY_BYTES = 1 << 20;
/** What is dropped of a refused body, and for how long (in milliseconds), before its connection is cut. */
const MAX_DROPPED_BYTES = 64 << 20;
const DROPPING_MS = 5_000;
/** Members that go on as the very text that was sent (decision C3). */
const RAW_MEMBERS: ReadonlySet<string> = new Set(['claims', 'metadata']);

/** Reads the request's JSON object; an empty body is an empty object. */
export async function readBody(request: IncomingMessage): Promise<object> {
    const announced = request.headers['content-length'];
    if (announced === undefined && request.headers['transfer-encoding'] === undefined) return {};
    if (Number(announced ?? 0) > MAX_BODY_BYTES) throw tooLarge();
    const bytes = await readBytes(request);
    if (bytes.length === 0) return {};
    requireJson(request);
    if (!isUtf8(bytes)) throw new AppError('invalid', 'The body is not valid UTF-8.');
    const value = parseText(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new AppError('invalid', 'The body must be a JSON object.');
}

function parseText(text: string): unknown {
    try {
        return parseJson(text, RAW_MEMBERS);
    } catch (error) {
        if (error instanceof JsonError) throw new AppError('invalid', `The body is not usable JSON: ${error.message}.`);
        throw error;
    }
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
    return new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        let length = 0;
        request.on('data', (chunk: Buffer) => {
            length += chunk.length;
            if (length > MAX_BODY_BYTES) {
                request.removeAllListeners('data');
                reject(tooLarge());
                return;
            }
            chunks.push(chunk);
        });
        request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
        request.on('error', () => reject(new AppError('invalid', 'The body ended before it was complete.')));
    });
}

/** Whether all of the body is here: the parser says `complete` only after what waits for the end of this tick. */
export function hasArrived({ complete, headers, readableLength }: IncomingMessage): boolean {
    return complete || readableLength === Number(headers['content-length']);
}

/** Drops what is yet to come of a body that nobody will read; resolves when it is over, or has been cut off. */
export function dropRest(request: IncomingMessage): Promise<void> {
    if (request.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
        let left = MAX_DROPPED_BYTES;
        const timer = setTimeout(() => request.destroy(), DROPPING_MS);
        const done = () => {
            clearTimeout(timer);
            resolve();
        };
        request.on('end', done).on('close', done).on('error', done);
        request.on('data', (chunk: Buffer) => {
            left -= chunk.length;
            if (left < 0) request.destroy();
        });
    });
}

function tooLarge(): AppError {
    return new AppError('too_large', 'The body is larger than 1 MiB.');
}

function requireJson(request: IncomingMessage): void {
    const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (type !== 'application/json') {
        throw new AppError('unsupported_media_type', 'The body must be sent as application/json.');
    }
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
        throw new AppError('unsupported_media_type', 'Compressed bodies are not accepted.');
    }
}
