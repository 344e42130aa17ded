import { keyBucket } from '../../platform/access/limit-record.ts';
import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { shardTag } from '../../platform/redis/redis.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import { isId } from '../../platform/uuid.ts';
import type { KeyUsage, UsageServiceDefinition } from '../../proto/gen/usage/v1/usage.ts';
import { countsOf, dayText, readRecords, withoutRedis } from './records.ts';
import { accountStatistics, platformStatistics, type UsageDependencies } from './statistics.ts';
import type { RequestCount } from './store.ts';

/** Maximum number of keys in one call: the keys of one page. */
const MAX_KEYS = 1_000;

/** Usage statistics. They are exact at any time: rolled-up counts plus what has been counted since. */
export function usageService(deps: UsageDependencies): ServiceOf<typeof UsageServiceDefinition> {
    const { store } = deps;
    return {
        async getCounts(_request, context) {
            const amounts = await store.amounts(requireUser(context), context);
            return {
                dids_created: amounts.get('dids_created') ?? 0,
                credentials_issued: amounts.get('credentials_issued') ?? 0,
                presentations_created: amounts.get('presentations_created') ?? 0,
                api_keys_active: amounts.get('api_keys_active') ?? 0,
            };
        },
        getStatistics: (_request, context) => accountStatistics(deps, requireUser(context), context),
        async getPlatformStatistics(_request, context) {
            if (!context.trusted) throw new AppError('forbidden', 'Only trusted callers may read these statistics.');
            return platformStatistics(deps, context);
        },
        async getKeyUsage({ key_ids }, context) {
            return { keys: key_ids.length > 0 ? await keyUsage(deps, key_ids, context) : [] };
        },
    };
}

async function keyUsage(
    { store, redis, shards, log, clock }: UsageDependencies,
    keyIds: string[],
    context: CallContext,
): Promise<KeyUsage[]> {
    const account = requireUser(context);
    if (keyIds.length > MAX_KEYS) throw invalid(`key_ids may have at most ${MAX_KEYS} items.`);
    if (!keyIds.every(isId)) throw invalid('key_ids must be ids of keys.');
    const buckets = keyIds.map((keyId) => keyBucket(shardTag(account, shards), account, keyId));
    const today = dayText(clock());
    const [records, recorded] = await Promise.all([
        withoutRedis(() => readRecords(redis, buckets), log),
        store.requests(buckets, `${today.slice(0, 7)}-01`, context),
    ]);
    const byBucket = Map.groupBy(recorded, (count) => count.bucket);
    return keyIds.map((keyId, index) => {
        const bucket = buckets[index] as string; // one for each key
        const record = records[index];
        const live = record ? countsOf(bucket, record) : [];
        return { key_id: keyId, ...usageOf(live, byBucket.get(bucket) ?? [], today) };
    });
}

/**
 * A live count replaces the recorded count of the same generation and day, because it is the newer value of the same
 * count.
 */
function usageOf(live: RequestCount[], recorded: readonly RequestCount[], today: string): Omit<KeyUsage, 'key_id'> {
    const newest = new Map([...recorded, ...live].map((count) => [`${count.life} ${count.day}`, count]));
    const counts = [...newest.values()];
    const requestsOf = (period: string): number =>
        counts.filter(({ day }) => day.startsWith(period)).reduce((sum, { requests }) => sum + requests, 0);
    const uses = counts.flatMap(({ last_used_at }) => last_used_at ?? []).sort();
    return {
        requests_today: requestsOf(today),
        requests_this_month: requestsOf(today.slice(0, 7)),
        last_used_at: uses.at(-1),
    };
}
