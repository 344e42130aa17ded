import { z } from 'zod';
import { type Database, sql } from './db.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/**
 * Maximum number of rows that one statement removes. It bounds the locks and the duration of the statement. Beyond it:
 * the next statement takes the rest.
 */
export const PRUNE_ROWS = 10_000;

interface Pruned {
    /** Schema and name of the table. */
    table: readonly [schema: string, name: string];
    /** The column whose index finds a row that is removed. */
    key: string;
}

/**
 * The beginning of a statement that removes up to PRUNE_ROWS of the rows that meet a condition: a RETURNING clause may
 * follow. An index must find the rows by the condition, in the order of the column `order`, and another one a row by its
 * key. With an order and an array of keys PostgreSQL uses these indexes. It would plan a join with a subquery as a scan
 * of the whole table, once for each batch. Rows that another statement has locked stay for the next sweep.
 */
export function removedRows({ table, key }: Pruned, condition: Fragment, order = key) {
    const [name, column] = [sql.identifier([...table]), sql.identifier([key])];
    const ordered = sql.fragment`ORDER BY ${sql.identifier([order])}`;
    return sql.fragment`
        DELETE FROM ${name} WHERE ${condition} AND ${column} = ANY(ARRAY(
            SELECT ${column} FROM ${name} WHERE ${condition} ${ordered} LIMIT ${PRUNE_ROWS} FOR UPDATE SKIP LOCKED))`;
}

/**
 * Maximum number of rows that one statement of the erasure of an account removes or empties. It bounds the locks and the
 * duration of the statement. Beyond it: the next statement takes the rest.
 */
export const ERASED_ROWS = 1_000;

/**
 * Like removedRows, for up to ERASED_ROWS rows of an account. It waits for rows that another statement has locked, because
 * none may stay.
 */
export function erasedRows({ table, key }: Pruned, condition: Fragment) {
    const [name, column] = [sql.identifier([...table]), sql.identifier([key])];
    return sql.fragment`
        DELETE FROM ${name} WHERE ${column} = ANY(ARRAY(
            SELECT ${column} FROM ${name} WHERE ${condition} ORDER BY ${column} LIMIT ${ERASED_ROWS} FOR UPDATE))`;
}

/** The row of a statement that erases up to ERASED_ROWS rows: how many it has erased. */
export const erasedCount = z.strictObject({ erased: z.number() });

/** Whether such a statement has left no row. */
export function leftNone([row]: ReadonlyArray<z.infer<typeof erasedCount>>): boolean {
    return (row?.erased ?? 0) < ERASED_ROWS;
}

interface PrunedByTime extends Pruned {
    /** An indexed column of type timestamptz. */
    time: string;
    /** Rows before this time are removed. */
    before: Fragment;
}

const batchRow = z.strictObject({ count: z.number(), last: z.string().nullable() });

/** One batch of pruneByTime: begins at `from`, and returns the times of the removed rows. */
export function removedByTime({ time, before, ...pruned }: PrunedByTime, from: string) {
    const column = sql.identifier([time]);
    const condition = sql.fragment`${column} >= ${from}::timestamptz AND ${column} < ${before}`;
    return sql.type(batchRow)`
        WITH removed AS (${removedRows(pruned, condition, time)} RETURNING ${column} AS time)
        SELECT count(*) AS count, max(time)::text AS last FROM removed`;
}

/**
 * Removes the rows before a time in batches, oldest first. Each batch begins where the one before it has ended, so that
 * none reads the index entries of removed rows again. Returns how many it removed.
 */
export async function pruneByTime(db: Database, pruned: PrunedByTime): Promise<number> {
    let removed = 0;
    for (let from = '-infinity'; ; ) {
        const [batch] = await db.rows(removedByTime(pruned, from));
        if (!batch || batch.last === null) return removed;
        removed += batch.count;
        from = batch.last;
    }
}
