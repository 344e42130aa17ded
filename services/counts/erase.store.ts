import { type Database, sql } from '../../platform/postgres/db.ts';
import { ERASED_ROWS, erasedCount, leftNone } from '../../platform/postgres/prune.ts';
import { type Counting, deltasOf, totalsOf } from './pending.store.ts';

type Step = (account: string) => Promise<boolean>;

/**
 * The steps that erase what a service has counted for an account (services/erasure.ts). Its pending counts go on to count
 * for the platform, so that the platform's counts stay right. They come first: a roll-up would make totals of them.
 */
export function countErasure(service: Counting, db: Database): readonly [Step, Step] {
    return [
        async (account) =>
            leftNone(
                await db.rows(sql.type(erasedCount)`
                    WITH chosen AS MATERIALIZED (
                        SELECT id FROM ${deltasOf(service)} WHERE account = ${account} LIMIT ${ERASED_ROWS}
                    ), moved AS (
                        UPDATE ${deltasOf(service)} SET account = NULL WHERE id = ANY(ARRAY(SELECT id FROM chosen))
                    )
                    SELECT count(*) AS erased FROM chosen`),
            ),
        async (account) => {
            // Those of an account are few: earlier months are merged.
            await db.rows(sql.unsafe`DELETE FROM ${totalsOf(service)} WHERE account = ${account}`);
            return true;
        },
    ];
}
