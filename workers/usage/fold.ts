import {
    accountOfBucket,
    DAY_MS,
    decodeLimitRecord,
    type LimitRecord,
    unfoldedSet,
} from '../../platform/limit-record.ts';
import { type Redis, redisScript } from '../../platform/redis.ts';
import { dayText } from './service.ts';
import type { RequestCount, UsageStore } from './store.ts';

/** Buckets folded at a time. */
const BUCKETS = 500;

/**
 * Takes a bucket out of the unfolded set, unless it was counted in since its record was read: then it stays for the next
 * time. The fifth double of a record says that it is in the set.
 */
const SETTLE = `
local packed = redis.call('GET', KEYS[1])
if packed and packed ~= ARGV[1] then return 0 end
redis.call('SREM', KEYS[2], KEYS[1])
if packed then
    redis.call('SET', KEYS[1], string.sub(packed, 1, 32) .. struct.pack('<d', 0) .. string.sub(packed, 41), 'KEEPTTL')
end
return 1`;

/** Everything the usage job does: deltas into totals, and the limiter's request counts into PostgreSQL. */
export async function fold({ store, redis, shards }: { store: UsageStore; redis: Redis; shards: number }) {
    let deltas = 0;
    for (let folded = 1; folded > 0; deltas += folded) folded = await store.foldDeltas();
    let buckets = 0;
    for (let shard = 0; shard < shards; shard++) buckets += await foldShard(store, redis, `{${shard}}`);
    return { deltas, buckets };
}

async function foldShard(store: UsageStore, redis: Redis, tag: string): Promise<number> {
    const settle = redisScript(redis, SETTLE);
    const unfolded = await redis.smembers(unfoldedSet(tag));
    for (let start = 0; start < unfolded.length; start += BUCKETS) {
        const buckets = unfolded.slice(start, start + BUCKETS);
        const packed = await Promise.all(buckets.map((bucket) => redis.getBuffer(bucket)));
        const counts = buckets.flatMap((bucket, index) => {
            const bytes = packed[index];
            return bytes ? requestCounts(bucket, decodeLimitRecord(bytes)) : [];
        });
        if (counts.length > 0) await store.recordRequests(counts);
        await Promise.all(
            buckets.map((bucket, index) => settle([bucket, unfoldedSet(tag)], [packed[index] ?? Buffer.alloc(0)])),
        );
    }
    return unfolded.length;
}

function requestCounts(bucket: string, record: LimitRecord): RequestCount[] {
    const account = accountOfBucket(bucket);
    const last_used_at = record.last_used > 0 ? new Date(record.last_used).toISOString() : null;
    return record.days.map(({ day, requests, refused }) => ({
        bucket,
        account,
        day: dayText(day * DAY_MS),
        life: record.life,
        requests,
        refused,
        last_used_at,
    }));
}
