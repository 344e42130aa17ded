import type { IncomingMessage } from 'node:http';
import { AppError } from '../platform/errors.ts';

export const MAX_BODY_BYTES = 1 << 20;
/** Bytes of a body that are taken before its request is admitted; the rest waits in the connection. */
const MAX_UNASKED_BYTES = 64 << 10;
/** Bytes, as they come over the connection, that are read of a refused body before its connection is cut. */
const MAX_DROPPED_BYTES = 64 << 20;
/** Time for that, in milliseconds. */
const DROPPING_MS = 5_000;
const NOTHING = Buffer.alloc(0);

/**
 * Collects the body of one request from the moment its header is read, so that a body in very small pieces never becomes a
 * queue of buffers: it takes at most twice its size in memory. Somebody must either read() or drop() it.
 */
export class IncomingBody {
    readonly #request: IncomingMessage;
    /** What the request says of its length; infinite for a body in chunks. */
    readonly #announced: number;
    #bytes: Buffer = NOTHING;
    #length = 0;
    /** collecting, until somebody asks for it; dropping: the bytes are of no use. */
    #state: 'collecting' | 'reading' | 'dropping' | 'ended' = 'collecting';
    #failure: AppError | undefined;
    /** Tells whoever waits that the body has ended or failed. */
    #settle: (() => void) | undefined;
    #drop_until_bytes = 0;

    constructor(request: IncomingMessage) {
        this.#request = request;
        this.#announced = announcedLength(request);
        if (this.#announced === 0) {
            this.#state = 'ended';
            return;
        }
        request.on('data', (chunk: Buffer) => this.#take(chunk));
        request.on('end', () => this.#end(undefined));
        for (const event of ['error', 'close']) {
            request.on(event, () => this.#end(new AppError('invalid', 'The body ended before it was complete.')));
        }
    }

    /** Whether nothing of it is still to come. */
    hasArrived(): boolean {
        return this.#state === 'ended' || this.#length === this.#announced;
    }

    /** All of its bytes. AppError `too_large` or `invalid` where it cannot be had. */
    async read(): Promise<Buffer> {
        if (this.#announced > MAX_BODY_BYTES && Number.isFinite(this.#announced)) throw tooLarge();
        if (this.#state === 'collecting' && !this.#failure) {
            this.#state = 'reading';
            this.#request.resume();
            await new Promise<void>((resolve) => {
                this.#settle = resolve;
            });
        }
        if (this.#failure) throw this.#failure;
        const bytes = this.#bytes.subarray(0, this.#length);
        this.#bytes = NOTHING;
        return bytes;
    }

    /** Ignores what is still to come; resolves when that is over, or has been cut off. */
    async drop(): Promise<void> {
        this.#bytes = NOTHING;
        if (this.#state === 'ended' || this.#request.destroyed) return;
        this.#state = 'dropping';
        this.#drop_until_bytes = this.#request.socket.bytesRead + MAX_DROPPED_BYTES;
        const timer = setTimeout(() => this.#request.destroy(), DROPPING_MS);
        const over = new Promise<void>((resolve) => {
            this.#settle = resolve;
        });
        this.#request.resume();
        await over;
        clearTimeout(timer);
    }

    #take(chunk: Buffer): void {
        if (this.#state === 'dropping') {
            if (this.#request.socket.bytesRead > this.#drop_until_bytes) this.#request.destroy();
            return;
        }
        const length = this.#length + chunk.length;
        if (length > MAX_BODY_BYTES) {
            this.#failure = tooLarge();
            this.#bytes = NOTHING;
            this.#request.pause(); // until it is dropped
            this.#settle?.();
            return;
        }
        this.#append(chunk, length);
        if (this.#state === 'collecting' && length > MAX_UNASKED_BYTES) this.#request.pause();
    }

    #append(chunk: Buffer, length: number): void {
        if (this.#length === 0) {
            this.#bytes = chunk; // most bodies are one piece: not copied
        } else {
            if (length > this.#bytes.length) {
                const capacity = Math.max(length, Math.min(2 * length, this.#announced));
                const grown = Buffer.allocUnsafeSlow(capacity);
                this.#bytes.copy(grown, 0, 0, this.#length);
                this.#bytes = grown;
            }
            chunk.copy(this.#bytes, this.#length);
        }
        this.#length = length;
    }

    #end(failure: AppError | undefined): void {
        if (this.#state === 'ended') return;
        this.#state = 'ended';
        this.#failure ??= failure;
        this.#settle?.();
    }
}

function announcedLength({ headers }: IncomingMessage): number {
    if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
    return Number(headers['content-length'] ?? 0);
}

function tooLarge(): AppError {
    return new AppError('too_large', 'The body is larger than 1 MiB.');
}
