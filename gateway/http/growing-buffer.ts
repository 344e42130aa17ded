const NOTHING = Buffer.alloc(0);

/** Collects chunks in one buffer. So even very small chunks take at most twice their size in memory. */
export class GrowingBuffer {
    #bytes: Buffer = NOTHING;
    #length = 0;

    /** Adds a chunk. No more than `most` bytes will be needed. */
    add(chunk: Buffer, most: number): void {
        const length = this.#length + chunk.length;
        if (this.#length === 0) {
            this.#bytes = chunk; // most bodies are one chunk, which is not copied
        } else {
            if (length > this.#bytes.length) {
                const capacity = Math.max(length, Math.min(2 * length, most));
                const grown = Buffer.allocUnsafeSlow(capacity);
                this.#bytes.copy(grown, 0, 0, this.#length);
                this.#bytes = grown;
            }
            chunk.copy(this.#bytes, this.#length);
        }
        this.#length = length;
    }

    /** Returns the bytes. */
    bytes(): Buffer {
        return this.#bytes.subarray(0, this.#length);
    }

    /** Frees the bytes. The buffer is then empty. */
    free(): void {
        this.#bytes = NOTHING;
        this.#length = 0;
    }
}
