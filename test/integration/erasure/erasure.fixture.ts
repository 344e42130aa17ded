import { after } from 'node:test';
import { Pool } from 'pg';
import { SCHEMAS } from '../../../services/schemas.ts';
import { testContext, testDatabase } from '../../support/harness.ts';

/** Rows that each account gets in a table: more than two calls erase. */
export const MANY = 2_500;

/** A database, and a function that runs statements on connections of its own. */
export async function erasureFixture() {
    const { db, url } = await testDatabase();
    const pool = new Pool({ connectionString: url, max: 2 });
    pool.on('error', () => {}); // its connections end when the database is dropped
    after(() => pool.end());
    const query = async (text: string, values: unknown[] = []): Promise<Array<Record<string, unknown>>> =>
        (await pool.query(text, values)).rows;

    /** The tables of a schema that have rows of the account, with the number of these rows. */
    async function rowsOf(account: string, schema: string): Promise<Record<string, number>> {
        const columns = await query(
            `SELECT table_name, column_name FROM information_schema.columns
             WHERE table_schema = $1 AND column_name IN ('account', 'user_id', 'claimant') ORDER BY 1`,
            [schema],
        );
        const found: Record<string, number> = {};
        for (const { table_name: table, column_name: column } of columns) {
            const [row] = await query(`SELECT count(*)::int AS rows FROM ${schema}.${table} WHERE ${column} = $1`, [
                account,
            ]);
            if (row?.['rows']) found[String(table)] = Number(row['rows']);
        }
        return found;
    }

    return { db, url, query, rowsOf };
}

export const trusted = () => testContext({ trusted: true, user_id: undefined });

type Erase = (request: { user_id: string }, context: ReturnType<typeof trusted>) => Promise<{ done: boolean }>;

/** Calls EraseAccount until it is done. Returns the number of calls. */
export async function eraseAll(erase: Erase, account: string): Promise<number> {
    for (let calls = 1; ; calls++) if ((await erase({ user_id: account }, trusted())).done) return calls;
}

/** The names of all schemas. */
export const SCHEMA_NAMES = SCHEMAS.map(({ schema }) => schema);
