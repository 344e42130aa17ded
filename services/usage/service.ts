import { type CallContext, requireTrusted, requireUser } from '../../platform/context.ts';
import { dayText } from '../../platform/days.ts';
import { invalid } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import { isId } from '../../platform/uuid.ts';
import type {
    GetCountsResponse,
    KeyUsage,
    RecordRequestsRequest,
    RecordRequestsResponse,
    UsageServiceDefinition,
} from '../../proto/gen/usage/v1/usage.ts';
import { erasure } from '../erasure.ts';
import { accountStatistics, platformStatistics } from './statistics.ts';
import type { UsageDependencies } from './usage-counts.ts';

/** Maximum number of keys in one call: the keys of one page. Beyond it: `invalid`. */
const MAX_KEYS = 1_000;
/** Maximum number of counts in a batch. Beyond it: 400. */
const MAX_COUNTS = 10_000;
/** The days from 1970 to 9999. */
const DAY = /^(19[7-9]|[2-9]\d\d)\d-\d\d-\d\d$/;
/** The end of the last of these days, in milliseconds since 1970. */
const LATEST_MS = Date.UTC(10_000, 0) - 1;

/** Usage statistics. Rows are counted exactly at any time, requests when the process that served them has sent its counts. */
export function usageService(deps: UsageDependencies): ServiceOf<typeof UsageServiceDefinition> {
    return {
        getCounts: (_request, context) => rowCounts(deps, requireUser(context), context),
        getStatistics: (_request, context) => accountStatistics(deps, requireUser(context), context),
        async getPlatformStatistics(_request, context) {
            requireTrusted(context);
            return platformStatistics(deps, context);
        },
        async getKeyUsage({ key_ids }, context) {
            return { keys: key_ids.length > 0 ? await keyUsage(deps, key_ids, context) : [] };
        },
        recordRequests: (batch, context) => record(deps, batch, context),
        eraseAccount: erasure(deps.store.erasure),
    };
}

async function rowCounts(
    { counts }: UsageDependencies,
    account: string,
    context: CallContext,
): Promise<GetCountsResponse> {
    const amounts = await counts.created.amounts(account, context);
    return {
        dids_created: amounts.get('dids_created') ?? 0,
        credentials_issued: amounts.get('credentials_issued') ?? 0,
        presentations_created: amounts.get('presentations_created') ?? 0,
        api_keys_active: amounts.get('api_keys_active') ?? 0,
    };
}

async function keyUsage(
    { store, clock }: UsageDependencies,
    keyIds: string[],
    context: CallContext,
): Promise<KeyUsage[]> {
    const account = requireUser(context);
    if (keyIds.length > MAX_KEYS) throw invalid(`key_ids may have at most ${MAX_KEYS} items.`);
    if (!keyIds.every(isId)) throw invalid('key_ids must be ids of keys.');
    const uses = await store.keyUse({ account, keyIds, today: dayText(clock()) }, context);
    return uses.map((use) => ({ ...use, last_used_at: use.last_used_at ?? undefined }));
}

async function record(
    { store }: UsageDependencies,
    batch: RecordRequestsRequest,
    context: CallContext,
): Promise<RecordRequestsResponse> {
    requireTrusted(context);
    const { batch_id, day, counts } = batch;
    if (counts.length > MAX_COUNTS) throw invalid(`counts may have at most ${MAX_COUNTS} items.`);
    const ids = [batch_id, ...counts.flatMap(({ account, key_id = account }) => [account, key_id])];
    if (!ids.every(isId)) throw invalid('batch_id, account and key_id must be UUIDs.');
    const time = DAY.test(day) ? Date.parse(day) : Number.NaN; // of 2026-02-30, that of 2026-03-02
    if (Number.isNaN(time) || dayText(time) !== day) throw invalid('day must be a day, such as 2026-11-20.');
    if (counts.some(({ last_used_at_ms: at }) => at > LATEST_MS)) throw invalid('last_used_at_ms is too late.');
    await store.record(batch);
    return {};
}
