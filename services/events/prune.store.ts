import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { pruneByTime, removedRows } from '../../platform/postgres/prune.ts';

/** For how long events are kept, in days. Beyond it: a daily job removes them. */
const DAYS_KEPT = 400;

const BEFORE = sql.fragment`now() - make_interval(days => ${DAYS_KEPT})`;
/** The least UUIDv7 of that time. */
const FIRST_ID = sql.fragment`
    (lpad(to_hex((extract(epoch FROM ${BEFORE}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

/** Removes the events that are older than DAYS_KEPT, and the ids of their entries. Returns the number of removed rows. */
export async function pruneEvents(db: Database): Promise<number> {
    const events = await pruneByTime(db, {
        table: ['events', 'log'],
        key: 'happened_at',
        time: 'happened_at',
        before: BEFORE,
    });
    return events + (await pruneEntries(db));
}

const removedRow = z.strictObject({ removed: z.number() });

async function pruneEntries(db: Database): Promise<number> {
    for (let removed = 0; ; ) {
        const old = removedRows(
            { table: ['events', 'entries'], key: 'entry_id' },
            sql.fragment`entry_id < ${FIRST_ID}`,
        );
        const [row] = await db.rows(sql.type(removedRow)`
            WITH old AS (${old} RETURNING 1) SELECT count(*) AS removed FROM old`);
        if (!row?.removed) return removed;
        removed += row.removed;
    }
}
