import type { CallContext } from '../../platform/context.ts';
import { DAY_MS, dayText } from '../../platform/days.ts';
import type { PlatformStatistics, Statistics } from '../../proto/gen/usage/v1/usage.ts';
import { type AmountByMonth, type Counts, PLATFORM } from '../counts/counts.store.ts';
import { COUNTING, type Counting } from '../counts/pending.store.ts';
import type { UsageStore } from './store.ts';

/** Number of days before today that the statistics of a week cover. */
const WEEK_DAYS = 6;

/** What the usage service counts itself. Its table also has old counts of rows, from before other services counted. */
const REQUEST_KINDS = ['requests', 'rate_limit_hits', 'presentations_verified'];

export interface UsageDependencies {
    store: UsageStore;
    /** What each service has counted. */
    counts: Record<Counting, Counts>;
    /** Milliseconds since 1970. */
    clock: () => number;
}

export async function accountStatistics(
    { store, counts, clock }: UsageDependencies,
    account: string,
    context: CallContext,
): Promise<Statistics> {
    const today = dayText(clock());
    const [{ total, this_month }, { requests_today }] = await Promise.all([
        readAll(counts, { account, today }, context),
        store.requests({ account, today }, context),
    ]);
    return {
        period: today.slice(0, 7),
        dids_total: total('dids_created'),
        dids_created_this_month: this_month('dids_created'),
        credentials_issued: total('credentials_issued'),
        credentials_issued_this_month: this_month('credentials_issued'),
        credentials_revoked: total('credentials_revoked'),
        presentations_created: total('presentations_created'),
        presentations_created_this_month: this_month('presentations_created'),
        presentations_verified: total('presentations_verified'),
        requests_this_month: this_month('requests'),
        requests_today,
        rate_limit_hits: this_month('rate_limit_hits'),
        wallets: total('wallets'),
        wallet_credentials: total('wallet_credentials'),
    };
}

/** Returns the platform's statistics, including rows and verifications without an owner. */
export async function platformStatistics(
    { store, counts, clock }: UsageDependencies,
    context: CallContext,
): Promise<PlatformStatistics> {
    const now = clock();
    const today = dayText(now);
    const week = dayText(now - WEEK_DAYS * DAY_MS);
    const [{ total }, { requests_today, requests_this_week }, active] = await Promise.all([
        readAll(counts, { account: PLATFORM, today }, context),
        store.requests({ account: PLATFORM, today }, context),
        store.active({ today, week }, context),
    ]);
    return {
        users_active_today: active.today,
        users_active_this_week: active.this_week,
        users_free: total('users_free'),
        users_basic: total('users_basic'),
        users_pro: total('users_pro'),
        users_enterprise: total('users_enterprise'),
        dids_created: total('dids_created'),
        credentials_issued: total('credentials_issued'),
        credentials_revoked: total('credentials_revoked'),
        presentations_created: total('presentations_created'),
        presentations_verified: total('presentations_verified'),
        requests_today,
        requests_this_week,
    };
}

/** Reads the counts of all services. Each is asked for what it has counted, because it may have a database of its own. */
async function readAll(
    counts: Record<Counting, Counts>,
    query: { account: string; today: string },
    context: CallContext,
) {
    const read = async (service: Counting): Promise<readonly AmountByMonth[]> => {
        const amounts = await counts[service].byMonth(query, context);
        return service === 'usage' ? amounts.filter(({ kind }) => REQUEST_KINDS.includes(kind)) : amounts;
    };
    const amounts = new Map((await Promise.all(COUNTING.map(read))).flat().map((amount) => [amount.kind, amount]));
    return {
        total: (kind: string) => amounts.get(kind)?.total ?? 0,
        this_month: (kind: string) => amounts.get(kind)?.this_month ?? 0,
    };
}
