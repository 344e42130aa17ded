import type { IncomingMessage } from 'node:http';
import { AppError } from '../../platform/errors.ts';

/** Largest body, in bytes, of a request whose endpoint has no smaller limit. Beyond it: 413. */
export const MAX_BODY_BYTES = 1 << 20;

/** True if a body follows the header. */
export function hasBody(request: IncomingMessage): boolean {
    return announcedLength(request) > 0;
}

/** The length that the request announces, in bytes; infinite for a chunked body. */
export function announcedLength({ headers }: IncomingMessage): number {
    if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
    return Number(headers['content-length'] ?? 0);
}

export function tooLarge(maxLength: number): AppError {
    const most = maxLength >= MAX_BODY_BYTES ? `${maxLength >> 20} MiB` : `${maxLength >> 10} KiB`;
    return new AppError('too_large', `The body is larger than ${most}.`);
}
