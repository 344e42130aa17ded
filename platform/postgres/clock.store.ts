import { type Database, sql } from './db.ts';

/** Reads the database's clock, in milliseconds since 1970. */
export async function readDatabaseClock(db: Database): Promise<number> {
    const [row] = await db.rows<{ now_ms: number }>(
        sql.unsafe`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms`,
    );
    return (row as { now_ms: number }).now_ms; // SELECT without FROM returns one row
}
