import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(8 * 512);
let used = pool.length;
let lastMs = 0;
let sequence = 0;

/**
 * Creates a UUIDv7 (RFC 9562, section 5.7) for `nowMs`. Ids sort by time. Ids that one process creates in the same
 * millisecond sort in order of creation, because the 12 bits of rand_a are a counter.
 */
export function newId(nowMs: number = Date.now()): string {
    sequence = nowMs === lastMs ? sequence + 1 : 0;
    lastMs = nowMs;
    if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
    }
    const random = pool.toString('hex', used, used + 8);
    used += 8;
    const time = nowMs.toString(16).padStart(12, '0');
    const versionAndSequence = (0x7000 | (sequence & 0xfff)).toString(16);
    const variant = ((Number.parseInt(random.charAt(0), 16) & 0x3) | 0x8).toString(16);
    return `${time.slice(0, 8)}-${time.slice(8)}-${versionAndSequence}-${variant}${random.slice(1, 4)}-${random.slice(4)}`;
}

/** Request ids that are accepted from callers. Any other is replaced, because the id is logged. */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The nil UUID (RFC 9562, section 5.9): the account of records that belong to no account. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000';
