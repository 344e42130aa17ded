import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { removedRows } from '../../platform/postgres/prune.ts';

/** Number of days of activity that are kept. Statistics cover a week. Beyond it: a daily job removes them. */
const DAYS_KEPT = 10;

const removedRow = z.strictObject({ removed: z.number() });

/**
 * Removes old days of activity, which no answer needs any more: one day after the other, so that the primary key finds
 * the accounts of each batch. `today`: YYYY-MM-DD. Returns the number of removed rows.
 */
export async function pruneUsage(db: Database, today: string): Promise<number> {
    let removed = 0;
    for (;;) {
        const [row] = await db.rows(sql.type(removedRow)`
            WITH oldest AS (SELECT min(day) AS day FROM usage.days WHERE day < ${today}::date - ${DAYS_KEPT}::int),
            old AS (${removedRows({ table: ['usage', 'days'], key: 'account' }, OLDEST_DAY)} RETURNING 1)
            SELECT count(*) AS removed FROM old`);
        if (!row?.removed) return removed;
        removed += row.removed;
    }
}

const OLDEST_DAY = sql.fragment`day = (SELECT day FROM oldest)`;
