import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(8 * 512);
let used = pool.length;
let last_ms = 0;
let sequence = 0;

/**
 * A UUIDv7 (RFC 9562, section 5.7) for `now_ms`. It sorts by time, and ids of one process and millisecond sort in the
 * order of their creation (the 12 bits of rand_a count).
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
 * True if the text is a UUID in lower-case canonical form, the only form in use. The version does not matter: an
 * invented UUID is an id of nothing, not an invalid id.
 */
export function isId(text: string): boolean {
    return text.length === 36 && UUID.test(text);
}

/** Request ids that are accepted from callers. Any other is replaced, because the id is logged. */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The nil UUID (RFC 9562, section 5.9): the owner of what belongs to nobody. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000';
