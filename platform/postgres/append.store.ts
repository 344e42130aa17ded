import { z } from 'zod';
import { type Database, type Queries, sql } from './db.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** A change, and what is appended about it in the same transaction. */
export interface Change {
    /** A statement that changes rows, without RETURNING. */
    change: Fragment;
    /** The columns of the changed rows that `appended` reads, with their types. */
    columns: Readonly<Record<string, string>>;
    /** INSERTs that read the changed rows from the CTE `written`. */
    appended: readonly Fragment[];
}

const writtenRow = z.record(z.string(), z.union([z.string(), z.number()]).nullable());
type WrittenRow = z.infer<typeof writtenRow>;
const keyRow = z.strictObject({ key: z.string() });

/** Makes a change. `key`: one of its columns, a text. Resolves to the keys of the changed rows. */
export async function changeRows(db: Database, { name, key, ...made }: Change & { name: string; key: string }) {
    if (db.distributed) {
        const written = await db.transaction((queries) => changeApart(queries, made), name);
        return written.map((row) => String(row[key]));
    }
    const { change, columns, appended } = made;
    const ctes = appended.map((append, n) => sql.fragment`, ${sql.identifier([`appended_${n}`])} AS (${append})`);
    const statement = sql.type(keyRow)`
        WITH written AS (${returning(change, columns)}) ${sql.join(ctes, sql.fragment``)}
        SELECT ${sql.identifier([key])} AS key FROM written`;
    return (await db.prepared(name, statement)).map((row) => row.key);
}

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
    const written = await rows(sql.type(writtenRow)`${returning(change, columns)}`);
    if (written.length === 0) return written;
    const names = Object.keys(columns);
    const tuples = written.map((row) => names.map((name) => row[name] ?? null));
    const source = sql.fragment`
        SELECT * FROM ${sql.unnest(tuples, Object.values(columns))} AS written (${identifiers(names)})`;
    for (const append of appended) await rows(sql.unsafe`WITH written AS NOT MATERIALIZED (${source}) ${append}`);
    return written;
}

function returning(change: Fragment, columns: Change['columns']): Fragment {
    const names = identifiers(Object.keys(columns));
    return sql.fragment`${change} RETURNING ${names}`;
}

/** The names of columns, as a list. */
export function identifiers(names: readonly string[]): Fragment {
    return sql.fragment`${sql.join(
        names.map((name) => sql.identifier([name])),
        sql.fragment`, `,
    )}`;
}
