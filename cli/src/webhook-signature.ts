import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far the time of a delivery may be from now, in seconds. Beyond it: it may be an old one that somebody repeats. */
const TOLERANCE_SECONDS = 300;

/** A delivery as it arrived. */
export interface Delivered {
    id: string;
    /** Seconds since 1970, as a text. */
    timestamp: string;
    /** Separated by spaces. */
    signatures: string;
    body: string;
}

/** Returns the bytes of a secret; undefined if it is none. */
export function secretBytes(secret: string): Buffer | undefined {
    const [, base64] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(secret.trim()) ?? [];
    return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

/** Verifies a delivery as Standard Webhooks 1.0.0 says. Returns what is wrong with it; undefined if nothing is. */
export function faultOf(
    { id, timestamp, signatures, body }: Delivered,
    secret: Buffer,
    nowSeconds: number,
): string | undefined {
    if (!/^\d{1,12}$/.test(timestamp)) return 'it has no time';
    if (Math.abs(Number(timestamp) - nowSeconds) > TOLERANCE_SECONDS) return 'its time is not now';
    const expected = Buffer.from(createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64'));
    const isSigned = signatures.split(' ').some((signature) => {
        const [version, given = ''] = signature.split(',', 2);
        const bytes = Buffer.from(given);
        return version === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected);
    });
    return isSigned ? undefined : 'the secret has not signed it';
}
