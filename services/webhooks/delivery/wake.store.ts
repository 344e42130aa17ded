import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';

const accountRow = z.strictObject({ account: z.string() });
const dueRow = z.strictObject({ due_at: z.string().nullable() });
const stateRow = z.strictObject({ state: z.string(), endpoints: z.number() });

export interface WakeStore {
    /** Returns the accounts after `after`, by id, with webhooks that wait for events. */
    accounts(after: string, limit: number): Promise<readonly string[]>;
    /** Has the webhooks of these accounts served that have not read up to these numbers. */
    wake(heads: ReadonlyArray<{ account: string; seq: number }>, now: string): Promise<void>;
    /** Since when the webhook waits that has waited longest to be served; undefined if none waits. */
    oldestDue(): Promise<string | undefined>;
    /** Counts the webhooks that were paused or disabled. */
    inactive(): Promise<ReadonlyArray<z.infer<typeof stateRow>>>;
}

export function wakeStore(db: Database): WakeStore {
    return {
        async accounts(after, limit) {
            const rows = await db.rows(sql.type(accountRow)`
                SELECT DISTINCT account FROM webhooks.endpoints
                WHERE account > ${after} AND state = 'active' AND NOT behind ORDER BY account LIMIT ${limit}`);
            return rows.map(({ account }) => account);
        },
        async wake(heads, now) {
            const values = heads.map(({ account, seq }) => [account, seq]);
            await db.rows(sql.unsafe`
                UPDATE webhooks.endpoints SET due_at = greatest(not_before, ${now}::timestamptz)
                FROM ${sql.unnest(values, ['uuid', 'int8'])} AS new (account, seq)
                WHERE endpoints.account = new.account AND cursor < new.seq AND state = 'active' AND NOT behind
                    AND (due_at IS NULL OR due_at > greatest(not_before, ${now}::timestamptz))`);
        },
        async oldestDue() {
            const [row] = await db.rows(sql.type(dueRow)`
                SELECT min(due_at) AS due_at FROM webhooks.endpoints WHERE state = 'active'`);
            return row?.due_at ?? undefined;
        },
        inactive: () =>
            db.rows(sql.type(stateRow)`
                SELECT state, count(*) AS endpoints FROM webhooks.endpoints
                WHERE state <> 'active' GROUP BY state`),
    };
}
