/** Encodes in the standard alphabet with padding (RFC 4648 section 4), the form in responses. */
export function encodeBase64(bytes: Uint8Array): string {
    return bufferOf(bytes).toString('base64');
}

/** Encodes in the URL alphabet without padding (RFC 4648 section 5), the form in tokens. */
export function encodeBase64Url(bytes: Uint8Array): string {
    return bufferOf(bytes).toString('base64url');
}

/**
 * Decodes base64 of a request: standard or URL alphabet, padded or not. Returns undefined for any other text. Node's
 * decoder skips unknown characters and drops loose bits, so the result is checked: the text must be one of its four
 * spellings.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
    const bytes = Buffer.from(text, 'base64');
    const standard = bytes.toString('base64');
    const url = bytes.toString('base64url');
    const padding = standard.slice(url.length);
    const exact = text === standard || text === url || text + padding === standard || text === url + padding;
    // A copy, because small buffers share one block of memory, and a key must not stay in it.
    return exact ? new Uint8Array(bytes) : undefined;
}

/** Decodes base64url of a token. Accepts only the canonical spelling, so that no two texts decode to the same bytes. */
export function decodeBase64Url(text: string): Buffer | undefined {
    const bytes = Buffer.from(text, 'base64url');
    return bytes.toString('base64url') === text ? bytes : undefined;
}

function bufferOf(bytes: Uint8Array): Buffer {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
