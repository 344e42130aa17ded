import type { CallContext } from '../../platform/context.ts';
import { DAY_MS, dayText } from '../../platform/days.ts';
import type { PlatformStatistics, Statistics } from '../../proto/gen/usage/v1/usage.ts';
import { type Amount, PLATFORM, type UsageStore } from './store.ts';

/** Number of days before today that the statistics of a week cover. */
const WEEK_DAYS = 6;

export interface UsageDependencies {
    store: UsageStore;
    /** Milliseconds since 1970. */
    clock: () => number;
}

export async function accountStatistics(
    { store, clock }: UsageDependencies,
    account: string,
    context: CallContext,
): Promise<Statistics> {
    const today = dayText(clock());
    const { amounts, requests_today } = await store.counts({ account, today }, context);
    const { total, this_month } = readers(amounts);
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
    { store, clock }: UsageDependencies,
    context: CallContext,
): Promise<PlatformStatistics> {
    const now = clock();
    const today = dayText(now);
    const week = dayText(now - WEEK_DAYS * DAY_MS);
    const [{ amounts, requests_today, requests_this_week }, active] = await Promise.all([
        store.counts({ account: PLATFORM, today }, context),
        store.active({ today, week }, context),
    ]);
    const { total } = readers(amounts);
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

function readers(amounts: readonly Amount[]) {
    const sum = (kind: string, part: 'total' | 'this_month'): number =>
        amounts.filter((amount) => amount.kind === kind).reduce((total, amount) => total + amount[part], 0);
    return { total: (kind: string) => sum(kind, 'total'), this_month: (kind: string) => sum(kind, 'this_month') };
}
