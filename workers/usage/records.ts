import {
    accountOfBucket,
    accountsAwaitingRollUp,
    bucketsAwaitingRollUp,
    DAY_MS,
    decodeLimitRecord,
    type LimitRecord,
} from '../../platform/access/limit-record.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { RequestCount } from './store.ts';

/** Reads the limiter's record of each bucket; undefined for a bucket without one. */
export async function readRecords(redis: Redis, buckets: readonly string[]): Promise<Array<LimitRecord | undefined>> {
    if (buckets.length === 0) return [];
    const packed = await redis.mgetBuffer(...buckets);
    return packed.map((bytes) => (bytes ? decodeLimitRecord(bytes) : undefined));
}

/**
 * Returns the counts of the limiter that are not rolled up yet: those of one account, or of all accounts in the shard.
 */
export async function countsAwaitingRollUp(redis: Redis, tag: string, account?: string): Promise<RequestCount[]> {
    const sets =
        account === undefined
            ? await redis.smembers(accountsAwaitingRollUp(tag))
            : [bucketsAwaitingRollUp(tag, account)];
    const buckets = sets.length === 0 ? [] : await redis.sunion(...sets);
    const records = await readRecords(redis, buckets);
    return buckets.flatMap((bucket, index) => {
        const record = records[index];
        return record ? countsOf(bucket, record) : [];
    });
}

/** Returns the rows of a record, one for each day that it contains. */
export function countsOf(bucket: string, record: LimitRecord): RequestCount[] {
    const account = accountOfBucket(bucket);
    const lastUsedAt = record.lastUsed > 0 ? new Date(record.lastUsed).toISOString() : null;
    return record.days.map(({ day, requests, refused, verified }) => ({
        bucket,
        account,
        day: dayText(day * DAY_MS),
        life: record.generation,
        requests,
        refused,
        verified,
        last_used_at: lastUsedAt,
    }));
}

/** Returns the UTC day of a time (ms since 1970) as YYYY-MM-DD. */
export function dayText(time: number): string {
    return new Date(time).toISOString().slice(0, 10);
}

/**
 * Returns no rows while Redis is unreachable. The rolled-up counts are then used alone; they are at most ten seconds
 * behind.
 */
export async function withoutRedis<Row>(read: () => Promise<Row[]>, log: Log): Promise<Row[]> {
    try {
        return await read();
    } catch (error) {
        log.warn({ err: error }, 'Redis does not answer: statistics without the latest requests');
        return [];
    }
}
