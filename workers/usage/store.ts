import { type Coalescer, coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { NIL_ID } from '../../platform/ids.ts';
import { type Database, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';

/** The account id that stands for the whole platform. */
export const PLATFORM = NIL_ID;

/** Requests of one bucket on one day, counted by one generation of the limiter's record. */
export interface RequestCount {
    bucket: string;
    account: string;
    /** YYYY-MM-DD */
    day: string;
    /** The generation of the record. */
    life: number;
    requests: number;
    refused: number;
    verified: number;
    /** ISO 8601 */
    last_used_at: string | null;
}

/** The amount of one kind: in total, and in the month of `today`. */
export interface Amount {
    kind: string;
    total: number;
    this_month: number;
}

/**
 * The rolled-up and pending counts of an account (or of PLATFORM), and the recorded part of its live counts, in one
 * snapshot.
 */
export interface RolledUp {
    amounts: readonly Amount[];
    requests_today: number;
    /** For PLATFORM only: today and the six days before. */
    requests_this_week: number;
    recorded: readonly RequestCount[];
}

export interface ActiveAccounts {
    today: number;
    this_week: number;
}

export interface UsageStore {
    /** Rolled-up and pending amounts of an account, by kind. */
    amounts: Coalescer<string, Map<string, number>>;
    /** `live`: the counts whose recorded part is needed. */
    rolledUp(
        query: { account: string; today: string; live: readonly RequestCount[] },
        lifetime?: CallLifetime,
    ): Promise<RolledUp>;
    /**
     * Counts the accounts that were active today, and since `week` (YYYY-MM-DD): from rolled-up counts, pending counts
     * and `live`.
     */
    active(
        query: { today: string; week: string; live: readonly RequestCount[] },
        lifetime?: CallLifetime,
    ): Promise<ActiveAccounts>;
    /**
     * Returns what was recorded for these buckets since `from` (YYYY-MM-DD), and the newest row of each bucket, however
     * old it is.
     */
    requests(buckets: readonly string[], from: string, lifetime?: CallLifetime): Promise<readonly RequestCount[]>;
}

export function usageStore(db: Database): UsageStore {
    return {
        amounts: coalesce({
            ...STORE_GROUPS,
            name: 'usage_amounts',
            run: (accounts: string[]) => amounts(db, accounts),
        }),
        rolledUp: (query, lifetime) => rolledUp(db, query, lifetime),
        active: (query, lifetime) => active(db, query, lifetime),
        requests(buckets, from, lifetime) {
            const statement = sql.unsafe`
                SELECT bucket, account, day::text AS day, life, requests, refused, verified, last_used_at
                FROM usage.requests
                WHERE bucket = ANY(${sql.array(buckets, 'text')}) AND (day >= ${from}::date OR day = (
                    SELECT max(day) FROM usage.requests AS newest WHERE newest.bucket = requests.bucket))`;
            return db.rows<RequestCount>(statement, 'usage_requests', lifetime);
        },
    };
}

async function amounts(db: Database, accounts: string[]): Promise<Array<Map<string, number>>> {
    const wanted = sql.array(accounts, 'uuid');
    const rows = await db.prepared<{ account: string; kind: string; amount: number }>(
        'usage_amounts',
        sql.unsafe`
        SELECT account, kind, sum(amount)::bigint AS amount FROM (
            SELECT account, kind, amount FROM usage.totals WHERE account = ANY(${wanted})
            UNION ALL
            SELECT account, kind, amount FROM usage.deltas WHERE account = ANY(${wanted})
        ) AS both_parts GROUP BY account, kind`,
    );
    const byAccount = new Map(accounts.map((account) => [account, new Map<string, number>()]));
    for (const { account, kind, amount } of rows) byAccount.get(account)?.set(kind, amount);
    return accounts.map((account) => byAccount.get(account) ?? new Map<string, number>());
}

async function rolledUp(
    db: Database,
    { account, today, live }: { account: string; today: string; live: readonly RequestCount[] },
    lifetime?: CallLifetime,
): Promise<RolledUp> {
    const wholePlatform = account === PLATFORM;
    const ownPending = wholePlatform ? sql.fragment`true` : sql.fragment`account = ${account}`;
    const ownDays = wholePlatform ? sql.fragment`true` : sql.fragment`account = ${account}`;
    const requestsSince = (day: ReturnType<typeof sql.fragment>) => sql.fragment`
        SELECT coalesce(sum(requests), 0) FROM usage.days WHERE day BETWEEN ${day} AND ${today}::date AND ${ownDays}`;
    const buckets = [...new Set(live.map(({ bucket }) => bucket))];
    // A record that was neither used nor rolled up for a while may contain days before yesterday.
    const firstDay = live.reduce((first, { day }) => (day < first ? day : first), today);
    const statement = sql.unsafe`
        SELECT (
            SELECT coalesce(json_agg(json_build_object('kind', kind, 'total', total, 'this_month', this_month)), '[]')
            FROM (
                SELECT kind, sum(amount) AS total,
                       coalesce(sum(amount) FILTER (WHERE month = date_trunc('month', ${today}::date)), 0) AS this_month
                FROM (
                    SELECT kind, month, amount FROM usage.totals WHERE account = ${account}
                    UNION ALL
                    SELECT kind, date_trunc('month', day)::date, amount FROM usage.deltas WHERE ${ownPending}
                ) AS both_parts GROUP BY kind
            ) AS by_kind
        ) AS amounts,
        (${requestsSince(sql.fragment`${today}::date`)})::bigint AS requests_today,
        (${requestsSince(sql.fragment`${today}::date - 6`)})::bigint AS requests_this_week,
        (
            SELECT coalesce(json_agg(r), '[]') FROM usage.requests AS r
            WHERE bucket = ANY(${sql.array(buckets, 'text')}) AND day >= ${firstDay}::date
        ) AS recorded`;
    const [row] = await db.rows<RolledUp>(statement, 'usage_folded', lifetime);
    return row as RolledUp; // a SELECT without FROM has one row
}

/** Counts in PostgreSQL, because a week may have many active accounts and no caller needs the list. */
async function active(
    db: Database,
    { today, week, live }: { today: string; week: string; live: readonly RequestCount[] },
    lifetime?: CallLifetime,
): Promise<ActiveAccounts> {
    const counted = live.map(({ account, day }) => [account, day]);
    const statement = sql.unsafe`
        SELECT count(DISTINCT account) FILTER (WHERE day = ${today}::date) AS today, count(DISTINCT account) AS this_week
        FROM (
            SELECT account, day FROM usage.days
            UNION ALL
            SELECT account, day FROM usage.deltas WHERE kind = 'logins'
            UNION ALL
            SELECT account, day FROM ${sql.unnest(counted, ['uuid', 'date'])} AS live (account, day)
        ) AS active_days WHERE day BETWEEN ${week}::date AND ${today}::date`;
    const [row] = await db.rows<ActiveAccounts>(statement, 'usage_active', lifetime);
    return row as ActiveAccounts; // an aggregate has one row
}
