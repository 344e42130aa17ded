import { type Database, sql } from '../../platform/postgres/db.ts';
import { erasedCount, erasedRows, leftNone } from '../../platform/postgres/prune.ts';
import { countErasure } from '../counts/erase.store.ts';
import type { ErasureStep } from '../erasure.ts';

/** The steps that erase an account. What it has done still counts for the platform. */
export function usageErasure(db: Database): readonly ErasureStep[] {
    return [
        async (account, context) => {
            const uses = erasedRows({ table: ['usage', 'keys'], key: 'key_id' }, sql.fragment`account = ${account}`);
            const statement = sql.type(erasedCount)`
                WITH erased AS (${uses} RETURNING 1) SELECT count(*) AS erased FROM erased`;
            return leftNone(await db.rows(statement, 'usage_erase', context));
        },
        ...countErasure('usage', db), // before the days: a roll-up would make days of pending counts
        async (account, context) => {
            // One look into the primary key for each of the few days that are kept.
            const statement = sql.unsafe`
                DELETE FROM usage.days WHERE account = ${account} AND day = ANY(ARRAY(
                    SELECT generate_series(
                        (SELECT min(day) FROM usage.days), (SELECT max(day) FROM usage.days), interval '1 day')::date))`;
            await db.rows(statement, 'usage_erase', context);
            return true;
        },
    ];
}
