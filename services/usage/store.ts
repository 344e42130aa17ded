import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import type { RecordRequestsRequest } from '../../proto/gen/usage/v1/usage.ts';
import { PLATFORM } from '../counts/counts.store.ts';
import type { ErasureStep } from '../erasure.ts';
import { usageErasure } from './erase.store.ts';
import { recordRequests } from './record.store.ts';

const keyUse = z.strictObject({
    key_id: z.string(),
    requests_today: z.number(),
    requests_this_month: z.number(),
    /** null: never */
    last_used_at: z.string().nullable(),
});
export type KeyUse = z.infer<typeof keyUse>;

const requestsRow = z.strictObject({
    requests_today: z.number(),
    /** Today and the six days before. */
    requests_this_week: z.number(),
});
export type Requests = z.infer<typeof requestsRow>;

const activeAccounts = z.strictObject({ today: z.number(), this_week: z.number() });
export type ActiveAccounts = z.infer<typeof activeAccounts>;

export interface UsageStore {
    /** Counts the requests of an account or of PLATFORM on the last days. */
    requests(query: { account: string; today: string }, lifetime?: CallLifetime): Promise<Requests>;
    /** Counts the accounts that were active today, and since `week` (YYYY-MM-DD). */
    active(query: { today: string; week: string }, lifetime?: CallLifetime): Promise<ActiveAccounts>;
    /** How these keys of the account were used, in the given order. */
    keyUse(
        query: { account: string; keyIds: readonly string[]; today: string },
        lifetime?: CallLifetime,
    ): Promise<readonly KeyUse[]>;
    record(batch: RecordRequestsRequest): Promise<void>;
    erasure: readonly ErasureStep[];
}

export function usageStore(db: Database): UsageStore {
    return {
        requests: (query, lifetime) => requests(db, query, lifetime),
        active: (query, lifetime) => active(db, query, lifetime),
        keyUse({ account, keyIds, today }, lifetime) {
            const statement = sql.type(keyUse)`
                SELECT asked.key_id, last_used_at,
                       CASE WHEN day = ${today}::date THEN requests_of_day ELSE 0 END AS requests_today,
                       CASE WHEN date_trunc('month', day) = date_trunc('month', ${today}::date)
                            THEN requests_of_month ELSE 0 END AS requests_this_month
                FROM unnest(${sql.array([...keyIds], 'uuid')}) WITH ORDINALITY AS asked (key_id, ordinal)
                LEFT JOIN usage.keys ON keys.key_id = asked.key_id AND account = ${account} ORDER BY ordinal`;
            return db.rows(statement, 'usage_keys', lifetime);
        },
        record: (batch) => recordRequests(db, batch),
        erasure: usageErasure(db),
    };
}

async function requests(
    db: Database,
    { account, today }: { account: string; today: string },
    lifetime?: CallLifetime,
): Promise<Requests> {
    const own = account === PLATFORM ? sql.fragment`true` : sql.fragment`account = ${account}`;
    const requestsSince = (day: ReturnType<typeof sql.fragment>) => sql.fragment`
        SELECT coalesce(sum(requests), 0)::bigint FROM (
            SELECT day, requests FROM usage.days WHERE day BETWEEN ${day} AND ${today}::date AND ${own}
            UNION ALL
            SELECT day, amount FROM usage.deltas WHERE day BETWEEN ${day} AND ${today}::date AND kind = 'requests' AND ${own}
        ) AS both_parts`;
    const statement = sql.type(requestsRow)`
        SELECT (${requestsSince(sql.fragment`${today}::date`)}) AS requests_today,
               (${requestsSince(sql.fragment`${today}::date - 6`)}) AS requests_this_week`;
    const [row] = await db.rows(statement, 'usage_requests', lifetime);
    return row as Requests; // a SELECT without FROM has one row
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
