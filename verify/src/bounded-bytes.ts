/** Reads a stream to its end. Returns undefined if it has more than `max` bytes or fails; then the rest is not read. */
export async function boundedBytes(
    stream: ReadableStream<Uint8Array>,
    max: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const reader = stream.getReader();
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return joined(chunks, size);
            size += value.length;
            if (size > max) break;
            chunks.push(value);
        }
        await reader.cancel();
    } catch {
        // A connection that breaks, or bytes that are not compressed: there is nothing to return.
    }
    return undefined;
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(size);
    let offset = 0;
    for (const chunk of chunks) {
        bytes.set(chunk, offset);
        offset += chunk.length;
    }
    return bytes;
}
