import { DAY_MS } from '../../platform/access/limit-record.ts';
import type { CallContext } from '../../platform/context.ts';
import { type Redis, shardTag } from '../../platform/redis/redis.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { PlatformStatistics, Statistics } from '../../proto/gen/usage/v1/usage.ts';
import { countsAwaitingRollUp, dayText, withoutRedis } from './records.ts';
import { type Amount, PLATFORM, type RequestCount, type UsageStore } from './store.ts';

/** Number of days before today that the statistics of a week cover. */
const WEEK_DAYS = 6;

export interface UsageDependencies {
    store: UsageStore;
    redis: Redis;
    shards: number;
    log: Log;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/**
 * Returns an account's statistics. Redis is read before PostgreSQL, so that counts that are rolled up in between are
 * found in PostgreSQL.
 */
export async function accountStatistics(
    deps: UsageDependencies,
    account: string,
    context: CallContext,
): Promise<Statistics> {
    const { store, redis, shards, log, clock } = deps;
    const today = dayText(clock());
    const live = await withoutRedis(() => countsAwaitingRollUp(redis, shardTag(account, shards), account), log);
    const rolledUp = await store.rolledUp({ account, today, live }, context);
    const growth = growthOf(live, rolledUp.recorded);
    const { total, this_month } = readers(withGrowth(rolledUp.amounts, growth, today));
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
        requests_today: rolledUp.requests_today + requestsBetween(today, today, growth),
        rate_limit_hits: this_month('rate_limit_hits'),
        wallets: total('wallets'),
        wallet_credentials: total('wallet_credentials'),
    };
}

/** Returns the platform's statistics, including rows and verifications without an owner. */
export async function platformStatistics(deps: UsageDependencies, context: CallContext): Promise<PlatformStatistics> {
    const { store, redis, shards, log, clock } = deps;
    const now = clock();
    const today = dayText(now);
    const week = dayText(now - WEEK_DAYS * DAY_MS);
    const tags = Array.from({ length: shards }, (_, shard) => `{${shard}}`);
    const live = (
        await Promise.all(tags.map((tag) => withoutRedis(() => countsAwaitingRollUp(redis, tag), log)))
    ).flat();
    const rolledUp = await store.rolledUp({ account: PLATFORM, today, live }, context);
    const growth = growthOf(live, rolledUp.recorded);
    const { total } = readers(withGrowth(rolledUp.amounts, growth, today));
    const users = growth.filter(({ account }) => account !== PLATFORM);
    const called = users.filter(({ requests }) => requests > 0);
    const active = await store.active({ today, week, live: called }, context);
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
        requests_today: rolledUp.requests_today + requestsBetween(today, today, users),
        requests_this_week: rolledUp.requests_this_week + requestsBetween(week, today, users),
    };
}

/** Returns what the limiter has counted beyond the recorded count of the same bucket, day and generation. */
function growthOf(live: readonly RequestCount[], recorded: readonly RequestCount[]): RequestCount[] {
    const keyOf = ({ bucket, day, life }: RequestCount): string => `${bucket} ${day} ${life}`;
    const known = new Map(recorded.map((count) => [keyOf(count), count]));
    return live.map((count) => {
        const before = known.get(keyOf(count));
        if (!before) return count;
        return {
            ...count,
            requests: Math.max(count.requests - before.requests, 0),
            refused: Math.max(count.refused - before.refused, 0),
            verified: Math.max(count.verified - before.verified, 0),
        };
    });
}

function withGrowth(amounts: readonly Amount[], growth: readonly RequestCount[], today: string): Amount[] {
    const month = today.slice(0, 7);
    const grown = growth.flatMap((count): Amount[] => {
        const recent = count.day.startsWith(month) ? 1 : 0;
        return [
            { kind: 'requests', total: count.requests, this_month: count.requests * recent },
            { kind: 'rate_limit_hits', total: count.refused, this_month: count.refused * recent },
            { kind: 'presentations_verified', total: count.verified, this_month: count.verified * recent },
        ];
    });
    return [...amounts, ...grown];
}

function readers(amounts: readonly Amount[]) {
    const sum = (kind: string, part: 'total' | 'this_month'): number =>
        amounts.filter((amount) => amount.kind === kind).reduce((total, amount) => total + amount[part], 0);
    return { total: (kind: string) => sum(kind, 'total'), this_month: (kind: string) => sum(kind, 'this_month') };
}

/**
 * Adds up the requests from `first` to `last`. Later days belong to the next answer: midnight may pass while this one
 * is made.
 */
function requestsBetween(first: string, last: string, growth: readonly RequestCount[]): number {
    return growth.filter(({ day }) => day >= first && day <= last).reduce((total, { requests }) => total + requests, 0);
}
