import { type Database, sql } from '../../platform/postgres/db.ts';
import { pruneByTime } from '../../platform/postgres/prune.ts';

/** For how long events are kept, in days. Beyond it: a daily job removes them. */
const DAYS_KEPT = 400;

/** Removes the events that are older than DAYS_KEPT. Returns the number of removed rows. */
export function pruneEvents(db: Database): Promise<number> {
    return pruneByTime(db, {
        table: ['events', 'log'],
        key: 'entry_id',
        time: 'happened_at',
        before: sql.fragment`now() - make_interval(days => ${DAYS_KEPT})`,
    });
}
