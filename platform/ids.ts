import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(8 * 512);
let used = pool.length;
let last_ms = 0;
let sequence = 0;

/**
 * A UUIDv7 (RFC 9562, 5.7) for `now_ms`: sorts by time, and, among the ids of one process in one millisecond, by the order in
 * which they were made (its 12 bits of rand_a count).
 */
export function newId(now_ms: number = Date.now()): string {
    sequence = now_ms === last_ms ? sequence + 1 : 0;
    last_ms = now_ms;
    if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
    }
    const random = pool.toString('hex', used, used + 8);
    used += 8;
    const time = now_ms.toString(16).padStart(12, '0');
    const version_and_sequence = (0x7000 | (sequence & 0xfff)).toString(16);
    const variant = ((Number.parseInt(random.charAt(0), 16) & 0x3) | 0x8).toString(16);
    return `${time.slice(0, 8)}-${time.slice(8)}-${version_and_sequence}-${variant}${random.slice(1, 4)}-${random.slice(4)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Whether the text is a UUID in its lower-case canonical form, the only one that is ever given out. Of any version: one that
 * somebody made up, or all zeros, is an id of nothing rather than no id.
 */
export function isId(text: string): boolean {
    return text.length === 36 && UUID.test(text);
}

/** An id that somebody else gave a request. Any other is replaced: it goes into logs. */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The nil UUID (RFC 9562, 5.9): nobody's, and so that of what has no owner. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000';
