import type { CallContext } from '../../platform/context.ts';
import { DAY_MS, dayText } from '../../platform/days.ts';
import type { PlatformStatistics, Statistics } from '../../proto/gen/usage/v1/usage.ts';
import { PLATFORM } from '../counts/counts.store.ts';
import { REQUEST_KINDS, type UsageCounts, type UsageDependencies } from './usage-counts.ts';

/** Number of days before today that the statistics of a week cover. */
const WEEK_DAYS = 6;

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

/** Reads the counts of rows and of requests. */
async function readAll(
    { rows, requests }: UsageCounts,
    query: { account: string; today: string },
    context: CallContext,
) {
    const [rowAmounts, requestAmounts] = await Promise.all([
        rows.byMonth(query, context),
        requests.byMonth(query, context),
    ]);
    const own = requestAmounts.filter(({ kind }) => REQUEST_KINDS.includes(kind));
    const amounts = new Map([...rowAmounts, ...own].map((amount) => [amount.kind, amount]));
    return {
        total: (kind: string) => amounts.get(kind)?.total ?? 0,
        this_month: (kind: string) => amounts.get(kind)?.this_month ?? 0,
    };
}
