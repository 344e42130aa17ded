/**
 * The limiter's record of one bucket in Redis: 13 little-endian doubles. The limiter's script writes it, and every
 * reader of request counts decodes it. Days are counted since 1970, and times are milliseconds since 1970.
 */
export interface LimitRecord {
    /**
     * When this record was created. If Redis loses a record, the next call creates one with another generation, and its
     * counts are added to those of the lost one.
     */
    generation: number;
    /** 0 if no call of the bucket was ever admitted. */
    lastUsed: number;
    /** The counts of the last day of use, and of the day of use before it. */
    days: Array<{ day: number; requests: number; refused: number; verified: number }>;
}

export const DAY_MS = 86_400_000;

/**
 * Maximum age of a day in a record, in days: Redis keeps the record for two days after its last use, and the earlier
 * day in it is at most two days older.
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
    return { generation: at(0), lastUsed: at(3), days: [dayAt(5), dayAt(9)].filter(({ day }) => day > 0) };
}

/** The bucket of one API key. `tag` is its account's shard tag. */
export function keyBucket(tag: string, account: string, keyId: string): string {
    return `limit:${tag}:${account}:key:${keyId}`;
}

/** The bucket of the calls that trusted callers make for an account or, with the id PLATFORM, for no account. */
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

/** The set of the keys of all bucketsAwaitingRollUp() sets in a shard. */
export function accountsAwaitingRollUp(tag: string): string {
    return `unfolded:${tag}`;
}

/** Holds the name of the shard's current epoch (limit.lua). */
export function epochKey(tag: string): string {
    return `era:${tag}`;
}

/** Returns the account in a bucket's name. */
export function accountOfBucket(bucket: string): string {
    return bucket.split(':')[2] ?? '';
}
