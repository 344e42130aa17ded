/**
 * The limiter's record of one bucket in Redis: 13 little-endian doubles, written by the limiter's script and read
 * wherever requests are counted. Days are counted since 1970, times are in ms since then.
 */
export interface LimitRecord {
    /** When this record was created. A record that was lost starts again, and counts in addition to the lost one. */
    life: number;
    /** 0 if no call of the bucket was ever admitted. */
    last_used: number;
    /** The day of its last use, and the previous day of use. */
    days: Array<{ day: number; requests: number; refused: number; verified: number }>;
}

export const DAY_MS = 86_400_000;

/**
 * Maximum age of a day in a record, in days: the record is kept for two days after its last use, and the day before
 * that is at most two days older.
 */
export const OLDEST_DAY = 4;

export function decodeLimitRecord(packed: Buffer): LimitRecord {
    const at = (index: number): number => packed.readDoubleLE(8 * index);
    const dayAt = (index: number) => ({
        day: at(index),
        requests: at(index + 1),
        refused: at(index + 2),
        verified: at(index + 3),
    });
    return { life: at(0), last_used: at(3), days: [dayAt(5), dayAt(9)].filter(({ day }) => day > 0) };
}

/** The bucket of one API key. `tag` is its account's shard tag. */
export function keyBucket(tag: string, account: string, key_id: string): string {
    return `limit:${tag}:${account}:key:${key_id}`;
}

/** The bucket of what trusted callers do for an account or, with PLATFORM's id, for nobody. */
export function internalBucket(tag: string, account: string): string {
    return `limit:${tag}:${account}:internal`;
}

/** The bucket of all session calls of an account. */
export function sessionsBucket(tag: string, account: string): string {
    return `limit:${tag}:${account}:sessions`;
}

/** The set of an account's buckets whose counts have changed since the last roll-up. */
export function bucketsAwaitingRollUp(tag: string, account: string): string {
    return `unfolded:${tag}:${account}`;
}

/** The set of those sets, in a shard. */
export function accountsAwaitingRollUp(tag: string): string {
    return `unfolded:${tag}`;
}

/** Holds the name of the shard's current epoch (limit.lua). */
export function epochKey(tag: string): string {
    return `era:${tag}`;
}

/** The account in a bucket's name. */
export function accountOfBucket(bucket: string): string {
    return bucket.split(':')[2] ?? '';
}
