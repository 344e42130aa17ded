import { z } from 'zod';
import { type Coalescer, coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { NIL_ID } from '../../platform/ids.ts';
import { type Database, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import type { RecordRequestsRequest } from '../../proto/gen/usage/v1/usage.ts';
import { recordRequests } from './record.store.ts';

/** The account id that stands for the whole platform. */
export const PLATFORM = NIL_ID;

const keyUse = z.strictObject({
    key_id: z.string(),
    requests_today: z.number(),
    requests_this_month: z.number(),
    /** null: never */
    last_used_at: z.string().nullable(),
});
export type KeyUse = z.infer<typeof keyUse>;

/** The amount of one kind: in total, and in the month of `today`. */
const amount = z.strictObject({ kind: z.string(), total: z.number(), this_month: z.number() });
export type Amount = z.infer<typeof amount>;

/** The counts of an account (or of PLATFORM), rolled-up and pending ones, in one snapshot. */
const countsRow = z.strictObject({
    amounts: z.array(amount).readonly(),
    requests_today: z.number(),
    /** Today and the six days before. */
    requests_this_week: z.number(),
});
export type Counts = z.infer<typeof countsRow>;

const activeAccounts = z.strictObject({ today: z.number(), this_week: z.number() });
export type ActiveAccounts = z.infer<typeof activeAccounts>;

const amountRow = z.strictObject({ account: z.string(), kind: z.string(), amount: z.number() });

export interface UsageStore {
    /** Rolled-up and pending amounts of an account, by kind. */
    amounts: Coalescer<string, Map<string, number>>;
    counts(query: { account: string; today: string }, lifetime?: CallLifetime): Promise<Counts>;
    /** Counts the accounts that were active today, and since `week` (YYYY-MM-DD). */
    active(query: { today: string; week: string }, lifetime?: CallLifetime): Promise<ActiveAccounts>;
    /** How these keys of the account were used, in the given order. */
    keyUse(
        query: { account: string; keyIds: readonly string[]; today: string },
        lifetime?: CallLifetime,
    ): Promise<readonly KeyUse[]>;
    record(batch: RecordRequestsRequest): Promise<void>;
}

export function usageStore(db: Database): UsageStore {
    return {
        amounts: coalesce({
            ...STORE_GROUPS,
            name: 'usage_amounts',
            run: (accounts: string[]) => amounts(db, accounts),
        }),
        counts: (query, lifetime) => counts(db, query, lifetime),
        active: (query, lifetime) => active(db, query, lifetime),
        keyUse({ account, keyIds, today }, lifetime) {
            const statement = sql.type(keyUse)`
                SELECT asked.key_id, last_used_at,
                       CASE WHEN day = ${today}::date THEN requests_of_day ELSE 0 END AS requests_today,
                       CASE WHEN date_trunc('month', day) = date_trunc('month', ${today}::date)
                            THEN requests_of_month ELSE 0 END AS requests_this_month
                FROM unnest(${sql.array([...keyIds], 'uuid')}) WITH ORDINALITY AS asked (key_id, place)
                LEFT JOIN usage.keys ON keys.key_id = asked.key_id AND account = ${account} ORDER BY place`;
            return db.rows(statement, 'usage_keys', lifetime);
        },
        record: (batch) => recordRequests(db, batch),
    };
}

async function amounts(db: Database, accounts: string[]): Promise<Array<Map<string, number>>> {
    const wanted = sql.array(accounts, 'uuid');
    const rows = await db.prepared(
        'usage_amounts',
        sql.type(amountRow)`
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

async function counts(
    db: Database,
    { account, today }: { account: string; today: string },
    lifetime?: CallLifetime,
): Promise<Counts> {
    const own = account === PLATFORM ? sql.fragment`true` : sql.fragment`account = ${account}`;
    const requestsSince = (day: ReturnType<typeof sql.fragment>) => sql.fragment`
        SELECT coalesce(sum(requests), 0)::bigint FROM (
            SELECT day, requests FROM usage.days WHERE day BETWEEN ${day} AND ${today}::date AND ${own}
            UNION ALL
            SELECT day, amount FROM usage.deltas WHERE day BETWEEN ${day} AND ${today}::date AND kind = 'requests' AND ${own}
        ) AS both_parts`;
    const statement = sql.type(countsRow)`
        SELECT (
            SELECT coalesce(json_agg(json_build_object('kind', kind, 'total', total, 'this_month', this_month)), '[]')
            FROM (
                SELECT kind, sum(amount) AS total,
                       coalesce(sum(amount) FILTER (WHERE month = date_trunc('month', ${today}::date)), 0) AS this_month
                FROM (
                    SELECT kind, month, amount FROM usage.totals WHERE account = ${account}
                    UNION ALL
                    SELECT kind, date_trunc('month', day)::date, amount FROM usage.deltas WHERE ${own}
                ) AS both_parts GROUP BY kind
            ) AS by_kind
        ) AS amounts,
        (${requestsSince(sql.fragment`${today}::date`)}) AS requests_today,
        (${requestsSince(sql.fragment`${today}::date - 6`)}) AS requests_this_week`;
    const [row] = await db.rows(statement, 'usage_counts', lifetime);
    return row as Counts; // a SELECT without FROM has one row
}

/** Counts in PostgreSQL, because a week may have many active accounts and no caller needs the list. */
async function active(
    db: Database,
    { today, week }: { today: string; week: string },
    lifetime?: CallLifetime,
): Promise<ActiveAccounts> {
    const statement = sql.type(activeAccounts)`
        SELECT count(DISTINCT account) FILTER (WHERE day = ${today}::date) AS today, count(DISTINCT account) AS this_week
        FROM (
            SELECT account, day FROM usage.days
            UNION ALL
            SELECT account, day FROM usage.deltas WHERE kind IN ('requests', 'logins')
        ) AS active_days WHERE day BETWEEN ${week}::date AND ${today}::date`;
    const [row] = await db.rows(statement, 'usage_active', lifetime);
    return row as ActiveAccounts; // an aggregate has one row
}
