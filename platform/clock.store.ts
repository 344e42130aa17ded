import { type Database, sql } from './db.ts';

/** Milliseconds since 1970 by the database's clock, at that moment. */
export async function readDatabaseClock(db: Database): Promise<number> {
    const [row] = await db.rows<{ now_ms: number }>(
        sql.unsafe`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms`,
    );
    return (row as { now_ms: number }).now_ms; // SELECT without FROM gives one row
}
