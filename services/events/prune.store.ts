import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { removedRows } from '../../platform/postgres/prune.ts';

/** For how long events are kept, in days. Beyond it: a daily job removes them. */
const DAYS_KEPT = 400;

const BEFORE = sql.fragment`now() - make_interval(days => ${DAYS_KEPT})`;
/** The id, a UUIDv7, is of an earlier time. */
const OLD_ENTRY = sql.fragment`entry_id < (
    lpad(to_hex((extract(epoch FROM ${BEFORE}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

const startRow = z.strictObject({ start: z.number() });
const removedRow = z.strictObject({ removed: z.number() });

/**
 * Removes the events that are older than DAYS_KEPT, and the ids of their entries. The audit then begins at the last
 * checkpoint of that time: what came before it goes, and nothing else. Returns the number of removed rows.
 */
export async function pruneEvents(db: Database): Promise<number> {
    const [tree] = await db.rows(sql.type(startRow)`
        UPDATE events.tree SET start = greatest(start,
            (SELECT max(size) FROM events.checkpoints WHERE made_at < ${BEFORE})) RETURNING start`);
    const start = tree?.start ?? 0;
    let removed = 0;
    for (const [table, key, first] of [
        ['log', 'leaf', start],
        ['seals', 'leaf', start - 1], // the root of the tree that the first kept checkpoint has signed
        ['checkpoints', 'size', start],
    ] as const) {
        removed += await prune(
            db,
            { table: ['events', table], key },
            sql.fragment`${sql.identifier([key])} < ${first}`,
        );
    }
    return removed + (await prune(db, { table: ['events', 'entries'], key: 'entry_id' }, OLD_ENTRY));
}

async function prune(db: Database, ...pruned: Parameters<typeof removedRows>): Promise<number> {
    for (let removed = 0; ; ) {
        const [row] = await db.rows(sql.type(removedRow)`
            WITH old AS (${removedRows(...pruned)} RETURNING 1) SELECT count(*) AS removed FROM old`);
        if (!row?.removed) return removed;
        removed += row.removed;
    }
}
