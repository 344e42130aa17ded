import type { IncomingMessage } from 'node:http';
import { AppError } from '../../platform/errors.ts';
import { overloaded } from '../../platform/gather.ts';
import type { BodyBudget, ReceivedBody } from './body-budget.ts';
import { announcedLength, MAX_BODY_BYTES, tooLarge } from './body-length.ts';
import { GrowingBuffer } from './growing-buffer.ts';

/**
 * Maximum number of body bytes that are read before the request is admitted. Beyond it: the rest waits in the
 * connection.
 */
const MAX_UNASKED_BYTES = 16 << 10;
/** Maximum number of bytes of a refused body that are read and dropped. Beyond it: the connection is cut. */
const MAX_DROPPED_BYTES = 64 << 20;
/** How long a refused body is read and dropped, in milliseconds. Beyond it: the connection is cut. */
const DROPPING_MS = 5_000;
/**
 * How long a body may take to arrive, from the moment that the header has been read, in milliseconds. Of a body that is
 * read in pieces: how long the next piece may take. Beyond it: 408, or the connection is cut if an answer has begun.
 */
const BODY_MS = 15_000;
/**
 * Maximum number of small chunks in a body. Each chunk takes about 3 µs of the event loop. Beyond it: `invalid`; the
 * connection is no longer read, and is cut after DROPPING_MS.
 */
const MAX_SMALL_CHUNKS = 4_096;
/** A chunk of fewer bytes is small. */
const SMALL_CHUNK_BYTES = 64;

export interface BodyOptions {
    /** The client's address, for the budget. */
    address: string;
    budget: BodyBudget;
    /** Asks the client for the body. Present if the client waits for this. */
    ask?: (() => void) | undefined;
    /** Called if the body has not arrived in time. */
    late?: (() => void) | undefined;
}

/**
 * Collects the body of one request in one buffer, from the moment that the header has been read. The owner must call
 * read(), pieces() or drop(), and finally discard().
 */
export class IncomingBody {
    readonly #request: IncomingMessage;
    readonly #budget: BodyBudget;
    /** This body, as the budget knows it. */
    readonly #received: ReceivedBody;
    #ask: (() => void) | undefined;
    /** The length that the request announces; infinite for a chunked body. */
    readonly #announced: number;
    readonly #bytes = new GrowingBuffer();
    /** Number of bytes that have arrived. */
    #length = 0;
    #smallChunks = 0;
    #maxLength = MAX_BODY_BYTES;
    /** `collecting`: until read() or drop() is called; `dropping`: the bytes are discarded. */
    #state: 'collecting' | 'reading' | 'dropping' | 'ended' = 'collecting';
    #failure: AppError | undefined;
    /** Wakes the waiting reader when the body has ended or failed. */
    #settle: (() => void) | undefined;
    #dropUntilBytes = 0;
    /** True if the body is read in pieces. */
    #isStreamed = false;
    #timer: NodeJS.Timeout | undefined;

    constructor(request: IncomingMessage, { address, budget, ask, late }: BodyOptions) {
        this.#request = request;
        this.#budget = budget;
        const refuse = () => this.#refuse(overloaded('bodies'));
        this.#received = { address, bytes: 0, began: 0, index: -1, refuse };
        this.#ask = ask;
        this.#announced = announcedLength(request);
        if (this.#announced === 0) {
            this.#state = 'ended';
            return;
        }
        if (late) this.#timer = setTimeout(late, BODY_MS);
        request.on('data', (chunk: Buffer) => this.#take(chunk));
        request.on('end', () => this.#end(undefined));
        for (const event of ['error', 'close']) request.on(event, () => this.#break());
    }

    /** True if the whole body has arrived. */
    hasArrived(): boolean {
        return this.#state === 'ended' || this.#length === this.#announced;
    }

    /** True if nothing has arrived, because the client waits until it is asked for the body. */
    isHeldBack(): boolean {
        return this.#ask !== undefined && this.#length === 0;
    }

    /** Returns the whole body. Throws AppError `too_large` (over `maxLength` bytes), `unavailable` or `invalid`. */
    async read(maxLength = MAX_BODY_BYTES): Promise<Buffer> {
        this.#maxLength = maxLength;
        const leastLength = Number.isFinite(this.#announced) ? this.#announced : this.#length;
        if (leastLength > maxLength) throw tooLarge(maxLength);
        if (this.#state === 'collecting' && !this.#failure) {
            this.#state = 'reading';
            this.#ask?.();
            this.#ask = undefined;
            this.#request.resume();
            await new Promise<void>((resolve) => {
                this.#settle = resolve;
            });
        }
        if (this.#failure) throw this.#failure;
        const bytes = this.#bytes.bytes();
        this.#release();
        return bytes;
    }

    /**
     * Reads the body in pieces, as fast as they are used, and so any length of it. Throws AppError `too_large` if the
     * request announces more than `maxLength` bytes; `request_timeout`, `unavailable` or `invalid`.
     */
    async *pieces(maxLength: number): AsyncGenerator<Buffer, void> {
        if (Number.isFinite(this.#announced) && this.#announced > maxLength) throw tooLarge(maxLength);
        clearTimeout(this.#timer);
        this.#isStreamed = true;
        this.#maxLength = Number.POSITIVE_INFINITY;
        this.#ask?.();
        this.#ask = undefined;
        for (;;) {
            const piece = this.#bytes.bytes();
            this.#release();
            if (piece.length > 0) yield piece;
            else if (this.#failure) throw this.#failure;
            else if (this.#state === 'ended') return;
            else await this.#nextPiece();
        }
    }

    /** Resolves when bytes have arrived, or the body has ended or failed. */
    async #nextPiece(): Promise<void> {
        const late = new AppError('request_timeout', 'The next part of the request did not arrive in time.');
        this.#timer = setTimeout(() => this.#refuse(late), BODY_MS);
        this.#state = 'reading';
        this.#request.resume();
        await new Promise<void>((resolve) => {
            this.#settle = resolve;
        });
        clearTimeout(this.#timer);
    }

    /** Discards the rest of the body. Resolves when the body has ended or the connection has been cut. */
    async drop(): Promise<void> {
        this.#release();
        if (this.#state === 'ended' || this.#state === 'dropping' || this.#request.destroyed) return;
        this.#settle?.(); // a waiting reader gets the failure
        this.#failure ??= new AppError('invalid', 'The body was dropped.');
        this.#state = 'dropping';
        this.#dropUntilBytes = this.#request.socket.bytesRead + MAX_DROPPED_BYTES;
        const timer = setTimeout(() => this.#request.destroy(), DROPPING_MS);
        const over = new Promise<void>((resolve) => {
            this.#settle = resolve;
        });
        if (this.#smallChunks <= MAX_SMALL_CHUNKS) this.#request.resume();
        await over;
        clearTimeout(timer);
    }

    #take(chunk: Buffer): void {
        if (chunk.length < SMALL_CHUNK_BYTES) this.#smallChunks++;
        if (this.#smallChunks > MAX_SMALL_CHUNKS) {
            this.#leaveUnread();
            this.#refuse(new AppError('invalid', 'The body comes in too many small chunks.'));
            return;
        }
        if (this.#state === 'dropping') {
            if (this.#request.socket.bytesRead > this.#dropUntilBytes) this.#request.destroy();
            return;
        }
        const length = this.#length + chunk.length;
        if (this.#failure) return; // chunks are ignored until drop() is called
        if (length > this.#maxLength) {
            this.#refuse(tooLarge(this.#maxLength));
            return;
        }
        if (!this.#budget.take(this.#received, chunk.length)) {
            this.#refuse(overloaded('bodies'));
            return;
        }
        this.#bytes.add(chunk, this.#announced);
        this.#length = length;
        if (this.#state === 'collecting' ? length > MAX_UNASKED_BYTES : this.#isStreamed) this.#request.pause();
        if (this.#isStreamed) this.#settle?.();
    }

    /** Stops reading. The client can still read the answer until the connection is cut. */
    #leaveUnread(): void {
        const { socket } = this.#request;
        socket.on('resume', () => socket.pause()); // Node resumes it for the rest of the body
        socket.pause();
    }

    #refuse(failure: AppError): void {
        this.#failure ??= failure;
        this.#release();
        this.#request.pause();
        if (this.#state !== 'dropping') this.#settle?.();
    }

    /**
     * Frees a body that was not read. Must be called after the answer has been sent. What has not arrived yet is
     * dropped, so that it is not collected for nobody, and so that the connection can be used again.
     */
    discard(): void {
        void this.drop();
    }

    #release(): void {
        this.#bytes.free();
        this.#budget.give(this.#received);
    }

    /**
     * Node emits `close` for complete requests too, so the error, which is expensive to create, is created only if the
     * body is incomplete.
     */
    #break(): void {
        if (this.#state === 'ended') return;
        this.#end(new AppError('invalid', 'The body ended before it was complete.'));
    }

    #end(failure: AppError | undefined): void {
        if (this.#state === 'ended') return;
        clearTimeout(this.#timer);
        this.#state = 'ended';
        this.#failure ??= failure;
        if (this.#failure) this.#release();
        this.#settle?.();
    }
}
