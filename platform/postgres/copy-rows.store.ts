import type { Client } from 'pg';

/**
 * Copies the rows of all tables of some schemas from one database to another, which has the same migrations. Unlike
 * pg_dump it takes any two versions of PostgreSQL, older ones as well. The rows travel as JSON, which keeps every type
 * that the tables have. In the end a sum over all rows must be the same in both. The target gets all rows or none.
 */

/** Rows that are copied at a time. A row may weigh a megabyte, and all of them travel as one text. */
const FETCH_ROWS = 50;
/** Tables that have a row from their migrations. The copy replaces it. */
const SEEDED: readonly string[] = ['events.tree'];

/** Both databases, and what lies in them. */
interface Copy {
    from: Client;
    to: Client;
    schemas: readonly string[];
}

/** The target cannot take the rows, or has got others. The message names no value. */
export class NotCopied extends Error {}

/** Nothing may write to either database meanwhile. Returns the number of rows. Throws NotCopied. */
export async function copyRows({ from, to, schemas }: Copy): Promise<number> {
    const tables = await tablesIn(from, schemas);
    for (const table of tables) {
        const { rowCount } = await to.query(`SELECT FROM ${table} LIMIT 1`);
        if (rowCount !== 0 && !SEEDED.includes(table)) throw new NotCopied(`The target has rows in ${table} already.`);
    }
    await from.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await to.query('BEGIN');
    let rows = 0;
    for (const table of tables) {
        if (SEEDED.includes(table)) await to.query(`DELETE FROM ${table}`);
        await copyTable({ from, to, table });
        const [source, target] = await Promise.all([sumOf(from, table), sumOf(to, table)]);
        if (source.sum !== target.sum) throw new NotCopied(`The rows of ${table} differ after the copy.`);
        rows += Number(source.rows);
    }
    await continueSequences({ from, to, schemas });
    await to.query('COMMIT');
    await from.query('COMMIT');
    return rows;
}

/** The quoted names of the tables, each behind those that its foreign keys refer to. */
async function tablesIn(client: Client, schemas: readonly string[]): Promise<string[]> {
    const { rows } = await client.query<{ table: string; needs: string[] }>(
        `WITH own AS (
             SELECT pg_class.oid, format('%I.%I', nspname, relname) AS name
             FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
             WHERE relkind = 'r' AND nspname = ANY($1)
         )
         SELECT name AS table, array(SELECT needed.name FROM pg_constraint JOIN own AS needed ON needed.oid = confrelid
                                     WHERE contype = 'f' AND conrelid = own.oid AND confrelid <> conrelid) AS needs
         FROM own ORDER BY name`,
        [schemas],
    );
    const ordered = new Set<string>();
    while (ordered.size < rows.length) {
        const ready = rows.filter(
            ({ table, needs }) => !ordered.has(table) && needs.every((need) => ordered.has(need)),
        );
        if (ready.length === 0) throw new NotCopied('Tables refer to each other in a circle.');
        for (const { table } of ready) ordered.add(table);
    }
    return [...ordered];
}

async function copyTable({ from, to, table }: Pick<Copy, 'from' | 'to'> & { table: string }): Promise<void> {
    await from.query(`DECLARE copied NO SCROLL CURSOR FOR SELECT to_jsonb(own)::text AS row FROM ${table} AS own`);
    for (;;) {
        const { rows } = await from.query<{ row: string }>(`FETCH ${FETCH_ROWS} FROM copied`);
        if (rows.length === 0) break;
        await to.query(
            `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`,
            [`[${rows.map(({ row }) => row).join(',')}]`],
        );
    }
    await from.query('CLOSE copied');
}

/** The number of rows, and a sum over their contents that does not depend on their order. */
async function sumOf(client: Client, table: string): Promise<{ rows: string; sum: string }> {
    const { rows } = await client.query<{ rows: string; sum: string }>(
        `SELECT count(*) AS rows, count(*) || ':' || coalesce(sum(hashtextextended(to_jsonb(own)::text, 0)), 0) AS sum
         FROM ${table} AS own`,
    );
    return rows[0] as { rows: string; sum: string }; // an aggregate has one row
}

/** The numbers that PostgreSQL gives out go on where they were. */
async function continueSequences({ from, to, schemas }: Copy): Promise<void> {
    const { rows } = await from.query<{ name: string; last_value: string | null }>(
        `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value FROM pg_sequences
         WHERE schemaname = ANY($1)`,
        [schemas],
    );
    for (const { name, last_value } of rows)
        if (last_value !== null) await to.query('SELECT setval($1, $2)', [name, last_value]);
}
