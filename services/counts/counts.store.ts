import { z } from 'zod';
import { coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { NIL_ID } from '../../platform/ids.ts';
import { type Database, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { COUNTING, type Counting, deltasOf, totalsOf } from './pending.store.ts';

/** The account id that stands for the whole platform. */
export const PLATFORM = NIL_ID;

const amountRow = z.strictObject({ account: z.string(), kind: z.string(), amount: z.number() });

/** The amount of one kind: in total, and in the month of `today`. */
const amountByMonth = z.strictObject({ kind: z.string(), total: z.number(), this_month: z.number() });
export type AmountByMonth = z.infer<typeof amountByMonth>;

/** What a service has counted: rolled-up and pending counts, in one snapshot. */
export interface Counts {
    /** The amounts of an account, by kind. */
    amounts(account: string, lifetime: CallLifetime | undefined): Promise<ReadonlyMap<string, number>>;
    /** The amounts of an account or of PLATFORM. `today`: YYYY-MM-DD. */
    byMonth(query: { account: string; today: string }, lifetime?: CallLifetime): Promise<readonly AmountByMonth[]>;
}

export function countsOf(service: Counting, db: Database): Counts {
    const [totals, deltas] = [totalsOf(service), deltasOf(service)];
    return {
        amounts: coalesce({
            ...STORE_GROUPS,
            name: `${service}_amounts`,
            async run(accounts: string[]) {
                const wanted = sql.array(accounts, 'uuid');
                const rows = await db.prepared(
                    `${service}_amounts`,
                    sql.type(amountRow)`
                    SELECT account, kind, sum(amount)::bigint AS amount FROM (
                        SELECT account, kind, amount FROM ${totals} WHERE account = ANY(${wanted})
                        UNION ALL
                        SELECT account, kind, amount FROM ${deltas} WHERE account = ANY(${wanted})
                    ) AS both_parts GROUP BY account, kind`,
                );
                const byAccount = new Map(accounts.map((account) => [account, new Map<string, number>()]));
                for (const { account, kind, amount } of rows) byAccount.get(account)?.set(kind, amount);
                return accounts.map((account) => byAccount.get(account) ?? new Map<string, number>());
            },
        }),
        byMonth({ account, today }, lifetime) {
            const own = account === PLATFORM ? sql.fragment`true` : sql.fragment`account = ${account}`;
            const statement = sql.type(amountByMonth)`
                SELECT kind, sum(amount)::bigint AS total,
                       coalesce(sum(amount) FILTER (WHERE month = date_trunc('month', ${today}::date)), 0)::bigint
                           AS this_month
                FROM (
                    SELECT kind, month, amount FROM ${totals} WHERE account = ${account}
                    UNION ALL
                    SELECT kind, date_trunc('month', day)::date, amount FROM ${deltas} WHERE ${own}
                ) AS both_parts GROUP BY kind`;
            return db.rows(statement, `${service}_counts`, lifetime);
        },
    };
}

/** What each service has counted. */
export function allCounts(databaseOf: (service: Counting) => Database): Record<Counting, Counts> {
    const all = COUNTING.map((service) => [service, countsOf(service, databaseOf(service))]);
    return Object.fromEntries(all) as Record<Counting, Counts>; // one for each name
}
