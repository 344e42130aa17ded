import type { CallLifetime } from '../context.ts';
import { type Database, type Queries, type Query, sql } from './db.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** A change, and what is written about it in the same transaction. */
export interface Change {
    /** A statement that changes rows, with RETURNING. */
    change: Fragment;
    /** The columns of these rows that `appended` reads, with their types. */
    columns: Readonly<Record<string, string>>;
    /** Statements that read the changed rows from the CTE `written`. */
    appended: readonly Fragment[];
}

/** What changeRows resolves to: columns that RETURNING has. */
interface Shown<Row> {
    row: Query<Row>['parser'];
    columns: Fragment;
}

/** Makes a change. Resolves to the changed rows. `name`, `call`: as in Database.prepared. */
export async function changeRows<Row>(
    db: Database,
    { name, call, shown, ...made }: Change & { name: string; call?: CallLifetime | undefined; shown: Shown<Row> },
): Promise<readonly Row[]> {
    if (db.distributed) {
        const written = await db.transaction((queries) => changeApart(queries, made), name, call);
        return written as readonly Row[]; // they have the columns, as in one statement
    }
    const { change, appended } = made;
    const ctes = appended.map((append, n) => sql.fragment`, ${sql.identifier([`appended_${n}`])} AS (${append})`);
    const statement = sql.type(shown.row)`
        WITH written AS (${change}) ${sql.join(ctes, sql.fragment``)} SELECT ${shown.columns} FROM written`;
    return db.prepared(name, statement, call);
}

type WrittenRow = Readonly<Record<string, string | number | null>>;

/**
 * Makes a change in a transaction of a distributed database, with several statements. Resolves to the changed rows.
 *
 * A Citus sends the rows that an INSERT reads from a CTE to all its nodes, so that the one statement fails while any of
 * them is away, and is committed on all. Rows that are values need the node of their schema only.
 */
export async function changeApart(
    { rows }: Queries,
    { change, columns, appended }: Change,
): Promise<readonly WrittenRow[]> {
    const written = (await rows(sql.unsafe`${change}`)) as readonly WrittenRow[]; // of `columns`, at least
    if (written.length === 0) return written;
    const names = Object.keys(columns);
    const tuples = written.map((row) => names.map((name) => row[name] ?? null));
    const source = sql.fragment`
        SELECT * FROM ${sql.unnest(tuples, Object.values(columns))} AS written (${identifiers(names)})`;
    for (const append of appended) await rows(sql.unsafe`WITH written AS NOT MATERIALIZED (${source}) ${append}`);
    return written;
}

/** The names of columns, as a list. */
export function identifiers(names: readonly string[]): Fragment {
    return sql.fragment`${sql.join(
        names.map((name) => sql.identifier([name])),
        sql.fragment`, `,
    )}`;
}
