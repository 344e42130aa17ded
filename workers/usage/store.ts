import { type Coalescer, coalesce } from '../../platform/batch.ts';
import { NIL_ID } from '../../platform/ids.ts';
import { type Database, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import type { Traced } from '../../platform/telemetry/span.ts';

/** Stands for the whole platform in place of an account. */
export const PLATFORM = NIL_ID;

/** Requests of one bucket on one day, counted by one generation of the limiter's record. */
export interface RequestCount {
    bucket: string;
    account: string;
    /** YYYY-MM-DD */
    day: string;
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

/** The rolled-up counts of an account (or of PLATFORM), and the recorded part of its live counts, in one snapshot. */
export interface Folded {
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
    /** Rolled-up amounts and deltas of an account, by kind. */
    amounts: Coalescer<string, Map<string, number>>;
    /** `live`: counts whose recorded part is needed. */
    folded(query: { account: string; today: string; live: readonly RequestCount[] }, traced?: Traced): Promise<Folded>;
    /**
     * The number of accounts that were active today, and since `week` (YYYY-MM-DD): from rolled-up counts, deltas and
     * `live`.
     */
    active(
        query: { today: string; week: string; live: readonly RequestCount[] },
        traced?: Traced,
    ): Promise<ActiveAccounts>;
    /** What was recorded for these buckets since `from` (YYYY-MM-DD), and the newest row of each at any time. */
    requests(buckets: readonly string[], from: string, traced?: Traced): Promise<readonly RequestCount[]>;
}

export function usageStore(db: Database): UsageStore {
    return {
        amounts: coalesce({
            ...STORE_GROUPS,
            name: 'usage_amounts',
            run: (accounts: string[]) => amounts(db, accounts),
        }),
        folded: (query, traced) => folded(db, query, traced),
        active: (query, traced) => active(db, query, traced),
        requests(buckets, from, traced) {
            const statement = sql.unsafe`
                SELECT bucket, account, day::text AS day, life, requests, refused, verified, last_used_at
                FROM usage.requests
                WHERE bucket = ANY(${sql.array(buckets, 'text')}) AND (day >= ${from}::date OR day = (
                    SELECT max(day) FROM usage.requests AS newest WHERE newest.bucket = requests.bucket))`;
            return db.rows<RequestCount>(statement, 'usage_requests', traced);
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
    const by_account = new Map(accounts.map((account) => [account, new Map<string, number>()]));
    for (const { account, kind, amount } of rows) by_account.get(account)?.set(kind, amount);
    return accounts.map((account) => by_account.get(account) ?? new Map<string, number>());
}

async function folded(
    db: Database,
    { account, today, live }: { account: string; today: string; live: readonly RequestCount[] },
    traced?: Traced,
): Promise<Folded> {
    const whole_platform = account === PLATFORM;
    const own_deltas = whole_platform ? sql.fragment`true` : sql.fragment`account = ${account}`;
    const own_days = whole_platform ? sql.fragment`true` : sql.fragment`account = ${account}`;
    const requests_since = (day: ReturnType<typeof sql.fragment>) => sql.fragment`
        SELECT coalesce(sum(requests), 0) FROM usage.days WHERE day BETWEEN ${day} AND ${today}::date AND ${own_days}`;
    const buckets = [...new Set(live.map(({ bucket }) => bucket))];
    // A record that nobody has used or rolled up for a while may contain days before yesterday.
    const first_day = live.reduce((first, { day }) => (day < first ? day : first), today);
    const statement = sql.unsafe`
        SELECT (
            SELECT coalesce(json_agg(json_build_object('kind', kind, 'total', total, 'this_month', this_month)), '[]')
            FROM (
                SELECT kind, sum(amount) AS total,
                       coalesce(sum(amount) FILTER (WHERE month = date_trunc('month', ${today}::date)), 0) AS this_month
                FROM (
                    SELECT kind, month, amount FROM usage.totals WHERE account = ${account}
                    UNION ALL
                    SELECT kind, date_trunc('month', day)::date, amount FROM usage.deltas WHERE ${own_deltas}
                ) AS both_parts GROUP BY kind
            ) AS by_kind
        ) AS amounts,
        (${requests_since(sql.fragment`${today}::date`)})::bigint AS requests_today,
        (${requests_since(sql.fragment`${today}::date - 6`)})::bigint AS requests_this_week,
        (
            SELECT coalesce(json_agg(r), '[]') FROM usage.requests AS r
            WHERE bucket = ANY(${sql.array(buckets, 'text')}) AND day >= ${first_day}::date
        ) AS recorded`;
    const [row] = await db.rows<Folded>(statement, 'usage_folded', traced);
    return row as Folded; // a SELECT without FROM has one row
}

/** Counted in PostgreSQL: the accounts of a week may be many, and nobody needs the list. */
async function active(
    db: Database,
    { today, week, live }: { today: string; week: string; live: readonly RequestCount[] },
    traced?: Traced,
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
    const [row] = await db.rows<ActiveAccounts>(statement, 'usage_active', traced);
    return row as ActiveAccounts; // an aggregate has one row
}
