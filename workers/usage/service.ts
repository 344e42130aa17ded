import { type CallContext, requireUser } from '../../platform/context.ts';
import { DAY_MS, decodeLimitRecord, keyBucket, type LimitRecord } from '../../platform/limit-record.ts';
import type { Log } from '../../platform/log.ts';
import { type Redis, shardTag } from '../../platform/redis.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { KeyUsage, UsageServiceDefinition } from '../../proto/gen/usage/v1/usage.ts';
import type { RequestCount, UsageStore } from './store.ts';

/** Usage statistics, exact at once: what was folded, and what has happened since. */
export function usageService(options: {
    store: UsageStore;
    redis: Redis;
    shards: number;
    log: Log;
    clock: () => number;
}): ServiceOf<typeof UsageServiceDefinition> {
    const { store, redis, shards, log, clock } = options;

    /** The limiter's records; none while Redis is away: the folded counts then stand alone. */
    async function records(buckets: string[]): Promise<Array<LimitRecord | undefined>> {
        try {
            const packed = await Promise.all(buckets.map((bucket) => redis.getBuffer(bucket)));
            return packed.map((bytes) => (bytes ? decodeLimitRecord(bytes) : undefined));
        } catch (error) {
            log.warn({ err: error }, 'request counts are read without redis');
            return buckets.map(() => undefined);
        }
    }

    async function keyUsage(key_ids: string[], context: CallContext): Promise<KeyUsage[]> {
        const account = requireUser(context);
        const buckets = key_ids.map((key_id) => keyBucket(shardTag(account, shards), account, key_id));
        const today = dayText(clock());
        const [live, folded] = await Promise.all([
            records(buckets),
            store.requests(buckets, `${today.slice(0, 7)}-01`),
        ]);
        const folded_by_bucket = Map.groupBy(folded, (count) => count.bucket);
        return key_ids.map((key_id, index) => {
            const bucket = buckets[index] as string; // one for each key
            return { key_id, ...summed(folded_by_bucket.get(bucket) ?? [], live[index], today) };
        });
    }

    return {
        async getCounts(_request, context) {
            const counts = await store.counts(requireUser(context));
            return {
                dids_created: counts.get('dids_created') ?? 0,
                credentials_issued: counts.get('credentials_issued') ?? 0,
                presentations_created: counts.get('presentations_created') ?? 0,
                api_keys_active: counts.get('api_keys_active') ?? 0,
            };
        },
        async getKeyUsage({ key_ids }, context) {
            return { keys: key_ids.length > 0 ? await keyUsage(key_ids, context) : [] };
        },
    };
}

/** A live record stands in for what was folded of the same life and day: its counts are the same ones, only newer. */
function summed(
    folded: readonly RequestCount[],
    live: LimitRecord | undefined,
    today: string,
): Omit<KeyUsage, 'key_id'> {
    const days = new Map(folded.map((count) => [`${count.life} ${count.day}`, count]));
    let last_used = Math.max(0, ...folded.map(({ last_used_at }) => (last_used_at ? Date.parse(last_used_at) : 0)));
    const counts = [...days.values()].map(({ day, life, requests }) => ({ day, life, requests }));
    if (live) {
        last_used = Math.max(last_used, live.last_used);
        for (const { day, requests } of live.days) {
            const text = dayText(day * DAY_MS);
            const same = counts.find((count) => count.life === live.life && count.day === text);
            if (same) same.requests = Math.max(same.requests, requests);
            else counts.push({ day: text, life: live.life, requests });
        }
    }
    const month = today.slice(0, 7);
    const sum = (of: typeof counts): number => of.reduce((total, { requests }) => total + requests, 0);
    return {
        requests_today: sum(counts.filter(({ day }) => day === today)),
        requests_this_month: sum(counts.filter(({ day }) => day.startsWith(month))),
        last_used_at: last_used > 0 ? new Date(last_used).toISOString() : undefined,
    };
}

/** The UTC day of a time in ms since 1970, as YYYY-MM-DD. */
export function dayText(time: number): string {
    return new Date(time).toISOString().slice(0, 10);
}
