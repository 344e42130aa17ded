/** Standard alphabet, padded (RFC 4648 section 4): the form of every answer. */
export function encodeBase64(bytes: Uint8Array): string {
    return bufferOf(bytes).toString('base64');
}

/** URL alphabet, without padding (RFC 4648 section 5): the form inside tokens. */
export function encodeBase64Url(bytes: Uint8Array): string {
    return bufferOf(bytes).toString('base64url');
}

/**
 * For requests: standard or URL alphabet, padded or not. Node's decoder skips unknown characters and drops loose bits,
 * so a text is accepted only if it is one of the four spellings of what it decodes to.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
    const bytes = Buffer.from(text, 'base64');
    const standard = bytes.toString('base64');
    const url = bytes.toString('base64url');
    const padding = standard.slice(url.length);
    const exact = text === standard || text === url || text + padding === standard || text === url + padding;
    // A copy, because small buffers share one block of memory, and a key must not stand there.
    return exact ? new Uint8Array(bytes) : undefined;
}

/** For tokens: only the canonical spelling, so that no two texts decode to the same bytes. */
export function decodeBase64Url(text: string): Buffer | undefined {
    const bytes = Buffer.from(text, 'base64url');
    return bytes.toString('base64url') === text ? bytes : undefined;
}

function bufferOf(bytes: Uint8Array): Buffer {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
