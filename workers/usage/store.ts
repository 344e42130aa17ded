import { type Coalescer, coalesce } from '../../platform/batch.ts';
import { type Database, STORE_GROUPS, sql } from '../../platform/db.ts';

/** Rows without an owner are counted under this account. */
const NOBODY = '00000000-0000-0000-0000-000000000000';
/** Deltas folded by one statement: bounds its locks and its time. */
const FOLD_ROWS = 10_000;

/** Requests of one bucket on one day, as one life of the limiter's record counted them. */
export interface RequestCount {
    bucket: string;
    account: string;
    /** YYYY-MM-DD */
    day: string;
    life: number;
    requests: number;
    refused: number;
    /** ISO 8601 */
    last_used_at: string | null;
}

export interface UsageStore {
    /** An account's counts by kind, over all months. */
    counts: Coalescer<string, Map<string, number>>;
    /** Moves deltas into totals; how many there were. Running it twice moves nothing twice. */
    foldDeltas(): Promise<number>;
    /** Records absolute counts: what is there already and not smaller stays. */
    recordRequests(counts: readonly RequestCount[]): Promise<void>;
    /** What was recorded for these buckets since `from` (YYYY-MM-DD), and each one's newest use at any time. */
    requests(buckets: readonly string[], from: string): Promise<readonly RequestCount[]>;
}

export function usageStore(db: Database): UsageStore {
    return {
        counts: coalesce({ ...STORE_GROUPS, name: 'usage_counts', run: (accounts: string[]) => counts(db, accounts) }),
        foldDeltas: () => foldDeltas(db),
        recordRequests: (counts) => recordRequests(db, counts),
        requests: (buckets, from) =>
            db.rows<RequestCount>(sql.unsafe`
                SELECT bucket, account, day::text AS day, life, requests, refused, last_used_at FROM usage.requests
                WHERE bucket = ANY(${sql.array(buckets, 'text')}) AND (day >= ${from}::date OR day = (
                    SELECT max(day) FROM usage.requests AS newest WHERE newest.bucket = requests.bucket))`),
    };
}

async function counts(db: Database, accounts: string[]) {
    const wanted = sql.array(accounts, 'uuid');
    const rows = await db.rows<{ account: string; kind: string; amount: number }>(sql.unsafe`
        SELECT account, kind, sum(amount)::bigint AS amount FROM (
            SELECT account, kind, amount FROM usage.totals WHERE account = ANY(${wanted})
            UNION ALL
            SELECT account, kind, amount FROM usage.deltas WHERE account = ANY(${wanted})
        ) AS both_parts GROUP BY account, kind`);
    const by_account = new Map(accounts.map((account) => [account, new Map<string, number>()]));
    for (const { account, kind, amount } of rows) by_account.get(account)?.set(kind, amount);
    return accounts.map((account) => by_account.get(account) ?? new Map<string, number>());
}

async function foldDeltas(db: Database): Promise<number> {
    const rows = await db.rows<{ folded: number }>(sql.unsafe`
        WITH taken AS (
            DELETE FROM usage.deltas WHERE id IN (
                SELECT id FROM usage.deltas ORDER BY id LIMIT ${FOLD_ROWS} FOR UPDATE SKIP LOCKED)
            RETURNING coalesce(account, ${NOBODY}) AS account, kind, month, amount
        ), added AS (
            INSERT INTO usage.totals (account, kind, month, amount)
            SELECT account, kind, month, sum(amount) FROM taken GROUP BY account, kind, month
            ON CONFLICT (account, kind, month) DO UPDATE SET amount = totals.amount + excluded.amount
        )
        SELECT count(*) AS folded FROM taken`);
    return rows[0]?.folded ?? 0;
}

async function recordRequests(db: Database, counts: readonly RequestCount[]): Promise<void> {
    const tuples = counts.map((count) => [
        count.bucket,
        count.account,
        count.day,
        count.life,
        count.requests,
        count.refused,
        count.last_used_at,
    ]);
    const types = ['text', 'uuid', 'date', 'int8', 'int8', 'int8', 'timestamptz'];
    await db.rows(sql.unsafe`
        INSERT INTO usage.requests (bucket, account, day, life, requests, refused, last_used_at)
        SELECT * FROM ${sql.unnest(tuples, types)}
        ON CONFLICT (bucket, day, life) DO UPDATE SET
            requests = greatest(requests.requests, excluded.requests),
            refused = greatest(requests.refused, excluded.refused),
            last_used_at = greatest(requests.last_used_at, excluded.last_used_at)`);
}
