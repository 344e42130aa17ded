import { accountsAwaitingRollUp, decodeLimitRecord } from '../../platform/access/limit-record.ts';
import { type Redis, redisScript } from '../../platform/redis/redis.ts';
import { countsOf } from './records.ts';
import { ROLL_UP_ROWS, type RollUpStore } from './roll-up.store.ts';

/** Number of accounts that are rolled up at a time. */
const ACCOUNTS = 200;
/**
 * Number of rolled-up pending counts after which a run frees their space. PostgreSQL itself frees it only once a
 * minute.
 */
const SWEPT_ROWS = 1_000;

/**
 * Removes a bucket from its account's set. The bucket stays for the next run if it was counted in since its record was
 * read. The fifth double of a record says whether the bucket is in the set. An account whose set is empty leaves the
 * shard's set.
 */
const SETTLE = `
local bucket, buckets, accounts = KEYS[1], KEYS[2], KEYS[3]
local packed = redis.call('GET', bucket)
if packed and packed ~= ARGV[1] then return 0 end
redis.call('SREM', buckets, bucket)
if redis.call('EXISTS', buckets) == 0 then redis.call('SREM', accounts, buckets) end
if packed then
    redis.call('SET', bucket, string.sub(packed, 1, 32) .. struct.pack('<d', 0) .. string.sub(packed, 41), 'KEEPTTL')
end
return 1`;

interface RollUpDependencies {
    store: RollUpStore;
    redis: Redis;
    shards: number;
}

/**
 * Rolls up the pending counts into the totals. Pending counts that are written meanwhile may wait for the next run,
 * because under load a run would otherwise never end.
 */
export async function rollUpPendingCounts({ store }: Pick<RollUpDependencies, 'store'>): Promise<void> {
    let sum = 0;
    for (let rolledUp = ROLL_UP_ROWS; rolledUp === ROLL_UP_ROWS; sum += rolledUp)
        rolledUp = await store.rollUpPendingCounts();
    if (sum >= SWEPT_ROWS) await store.sweepPendingCounts();
}

/**
 * Rolls up the pending counts into the totals, and the limiter's request counts into PostgreSQL. It may be interrupted
 * and repeated at any point.
 */
export async function rollUp({ store, redis, shards }: RollUpDependencies): Promise<void> {
    await rollUpPendingCounts({ store });
    for (let shard = 0; shard < shards; shard++) await rollUpShard(store, redis, `{${shard}}`);
}

async function rollUpShard(store: RollUpStore, redis: Redis, tag: string): Promise<void> {
    const settle = redisScript(redis, SETTLE);
    const accounts = await redis.smembers(accountsAwaitingRollUp(tag));
    for (let start = 0; start < accounts.length; start += ACCOUNTS) {
        const members = await Promise.all(
            accounts.slice(start, start + ACCOUNTS).map(async (set) => ({ set, buckets: await redis.smembers(set) })),
        );
        const awaitingRollUp = members.flatMap(({ set, buckets }) => buckets.map((bucket) => ({ set, bucket })));
        if (awaitingRollUp.length === 0) continue;
        const packed = await redis.mgetBuffer(...awaitingRollUp.map(({ bucket }) => bucket));
        const counts = awaitingRollUp.flatMap(({ bucket }, index) => {
            const bytes = packed[index];
            return bytes ? countsOf(bucket, decodeLimitRecord(bytes)) : [];
        });
        if (counts.length > 0) await store.recordRequests(counts);
        await Promise.all(
            awaitingRollUp.map(({ set, bucket }, index) =>
                settle([bucket, set, accountsAwaitingRollUp(tag)], [packed[index] ?? Buffer.alloc(0)]),
            ),
        );
    }
}
