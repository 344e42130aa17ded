import { z } from 'zod';
import { coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { NIL_ID } from '../../platform/ids.ts';
import { type Database, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { type Counting, deltasOf, totalsOf } from './pending.store.ts';

/** The account id that stands for the whole platform. */
export const PLATFORM = NIL_ID;

const amountRow = z.strictObject({ account: z.string(), kind: z.string(), amount: z.number() });

/** The amount of one kind: in total, and in the month of `today`. */
const amountByMonth = z.strictObject({ kind: z.string(), total: z.number(), this_month: z.number() });
type AmountByMonth = z.infer<typeof amountByMonth>;

/** What some services have counted, rolled-up and pending counts together. */
export interface Counts {
    /** The amounts of an account, by kind. */
    amounts(account: string, lifetime: CallLifetime | undefined): Promise<ReadonlyMap<string, number>>;
    /** The amounts of an account or of PLATFORM. `today`: YYYY-MM-DD. */
    byMonth(query: { account: string; today: string }, lifetime?: CallLifetime): Promise<readonly AmountByMonth[]>;
}

/** Reads what services have counted whose schemas are in one database, with one statement in one snapshot. */
export function countsOf(services: readonly Counting[], db: Database): Counts {
    const name = services.join('_');
    return {
        amounts: coalesce({
            ...STORE_GROUPS,
            name: `${name}_amounts`,
            async run(accounts: string[]) {
                const wanted = sql.array(accounts, 'uuid');
                const parts = services.flatMap((service) =>
                    [totalsOf(service), deltasOf(service)].map(
                        (table) =>
                            sql.fragment`SELECT account, kind, amount FROM ${table} WHERE account = ANY(${wanted})`,
                    ),
                );
                const rows = await db.prepared(
                    `${name}_amounts`,
                    sql.type(amountRow)`
                    SELECT account, kind, sum(amount)::bigint AS amount FROM (${allOf(parts)}) AS parts
                    GROUP BY account, kind`,
                );
                const byAccount = new Map(accounts.map((account) => [account, new Map<string, number>()]));
                for (const { account, kind, amount } of rows) byAccount.get(account)?.set(kind, amount);
                return accounts.map((account) => byAccount.get(account) ?? new Map<string, number>());
            },
        }),
        byMonth({ account, today }, lifetime) {
            const own = account === PLATFORM ? sql.fragment`true` : sql.fragment`account = ${account}`;
            const parts = services.flatMap((service) => [
                sql.fragment`SELECT kind, month, amount FROM ${totalsOf(service)} WHERE account = ${account}`,
                sql.fragment`SELECT kind, date_trunc('month', day)::date, amount FROM ${deltasOf(service)} WHERE ${own}`,
            ]);
            const statement = sql.type(amountByMonth)`
                SELECT kind, sum(amount)::bigint AS total,
                       coalesce(sum(amount) FILTER (WHERE month = date_trunc('month', ${today}::date)), 0)::bigint
                           AS this_month
                FROM (${allOf(parts)}) AS parts GROUP BY kind`;
            return db.rows(statement, `${name}_counts`, lifetime);
        },
    };
}

const allOf = (parts: ReadonlyArray<ReturnType<typeof sql.fragment>>) => sql.join(parts, sql.fragment` UNION ALL `);

/** Returns the databases in which a service counts. */
export type CountedIn = (service: Counting) => readonly Database[];

/**
 * Reads what services have counted that may be in several databases, with one statement in each database. If that is
 * distributed, with one for each schema: Citus takes 2.5 times as long for one that names schemas on several nodes.
 */
export function countsOfAll(services: readonly Counting[], countedIn: CountedIn): Counts {
    const sources = services.flatMap((service) => countedIn(service).map((db) => ({ service, db })));
    const readers = Array.from(
        Map.groupBy(sources, (source) => (source.db.distributed ? source : source.db)),
        ([, there]) => {
            const [{ db }] = there as [(typeof there)[0]]; // no group is empty
            return countsOf(
                there.map(({ service }) => service),
                db,
            );
        },
    );
    const [only] = readers;
    if (only && readers.length === 1) return only;
    return {
        async amounts(account, lifetime) {
            const sums = new Map<string, number>();
            for (const amounts of await Promise.all(readers.map((reader) => reader.amounts(account, lifetime))))
                for (const [kind, amount] of amounts) sums.set(kind, (sums.get(kind) ?? 0) + amount);
            return sums;
        },
        async byMonth(query, lifetime) {
            const all = await Promise.all(readers.map((reader) => reader.byMonth(query, lifetime)));
            return Array.from(
                Map.groupBy(all.flat(), ({ kind }) => kind),
                ([kind, amounts]) => ({
                    kind,
                    total: amounts.reduce((sum, { total }) => sum + total, 0),
                    this_month: amounts.reduce((sum, { this_month }) => sum + this_month, 0),
                }),
            );
        },
    };
}
