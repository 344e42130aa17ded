import { decodeBase64Url, encodeBase64Url } from '../../platform/base64.ts';
import { invalid } from '../../platform/errors.ts';

const UUID_BYTES = 16;

/** Where a page ended: the id of its last row, in 22 characters that mean nothing to callers. */
export function encodeCursor(id: string): string {
    return encodeBase64Url(Buffer.from(id.replaceAll('-', ''), 'hex'));
}

export function decodeCursor(cursor: string): string {
    const bytes = decodeBase64Url(cursor);
    if (bytes?.length !== UUID_BYTES) throw invalid('cursor is not one that was given out here.');
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
