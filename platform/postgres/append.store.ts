import type { CallLifetime } from '../context.ts';
import { type Database, type Queries, type Query, sql } from './db.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** A change, and what is written about it in the same transaction. */
export interface Change<Row> {
    /** CTEs that `change` reads. They may change other rows. */
    before?: Fragment;
    /** A statement that changes rows, with RETURNING. */
    change: Fragment;
    /** The schema of what it returns. */
    row: Query<Row>['parser'];
    /** The columns of these rows that `appended` reads, with their types. */
    columns: Readonly<Record<string, string>>;
    /** Statements that read the changed rows from the CTE `written`. */
    appended: readonly Fragment[];
}

/** Makes a change. Resolves to the changed rows. `name`, `call`: as in Database.prepared. */
export function changeRows<Row extends object>(
    db: Database,
    { name, call, ...made }: Change<Row> & { name: string; call?: CallLifetime | undefined },
): Promise<readonly Row[]> {
    if (db.distributed) return db.transaction((queries) => changeApart(queries, made), name, call);
    return db.prepared(name, inOneStatement(made), call);
}

/** Like changeRows, in a transaction that has begun. */
export function changeWithin<Row extends object>(queries: Queries, made: Change<Row>): Promise<readonly Row[]> {
    return queries.distributed ? changeApart(queries, made) : queries.rows(inOneStatement(made));
}

function inOneStatement<Row>({ before, change, row, appended }: Change<Row>): Query<Row> {
    const first = before ? sql.fragment`${before},` : sql.fragment``;
    const ctes = appended.map((append, n) => sql.fragment`, ${sql.identifier([`appended_${n}`])} AS (${append})`);
    return sql.type(row)`WITH ${first} written AS (${change}) ${sql.join(ctes, sql.fragment``)} SELECT * FROM written`;
}

/**
 * Makes a change in a transaction of a distributed database, with several statements. Resolves to the changed rows.
 *
 * A Citus sends the rows that an INSERT reads from a CTE to all its nodes, so that the one statement fails while any of
 * them is away, and is committed on all. Rows that are values need the node of their schema only.
 */
export async function changeApart<Row extends object>(
    { rows }: Queries,
    { before, change, row, columns, appended }: Change<Row>,
): Promise<readonly Row[]> {
    const first = before ? sql.fragment`WITH ${before}` : sql.fragment``;
    const written = await rows(sql.type(row)`${first} ${change}`);
    if (written.length === 0) return written;
    const names = Object.keys(columns);
    const tuples = written.map((each) => names.map((name) => (each as WrittenRow)[name] ?? null));
    const source = sql.fragment`
        SELECT * FROM ${sql.unnest(tuples, Object.values(columns))} AS written (${identifiers(names)})`;
    for (const append of appended) await rows(sql.unsafe`WITH written AS NOT MATERIALIZED (${source}) ${append}`);
    return written;
}

/** A changed row has `columns`, at least. */
type WrittenRow = Readonly<Record<string, string | number | null>>;

/** The names of columns, as a list. */
export function identifiers(names: readonly string[]): Fragment {
    return sql.fragment`${sql.join(
        names.map((name) => sql.identifier([name])),
        sql.fragment`, `,
    )}`;
}
