import { type Database, sql } from '../../platform/postgres/db.ts';
import { erasedCount, erasedRows, leftNone } from '../../platform/postgres/prune.ts';
import { countErasure } from '../counts/erase.store.ts';
import { appendPendingCounts } from '../counts/pending.store.ts';
import type { ErasureStep } from '../erasure.ts';
import { claimErasure } from '../idempotency/erase.store.ts';

/** The steps that erase an account. The removed presentations count no more for the platform. */
export function presentationErasure(db: Database): readonly ErasureStep[] {
    return [
        async (account, context) => {
            const presentations = erasedRows(
                { table: ['presentations', 'presentations'], key: 'id' },
                sql.fragment`account = ${account}`,
            );
            const statement = sql.type(erasedCount)`
                WITH erased AS (${presentations} RETURNING id), written AS (
                    SELECT NULL::uuid AS account FROM erased
                ), counted AS (
                    ${appendPendingCounts('presentations_created', { amount: sql.fragment`-count(*)` })}
                )
                SELECT count(*) AS erased FROM erased`;
            return leftNone(await db.rows(statement, 'presentation_erase', context));
        },
        claimErasure('presentations', db),
        ...countErasure('presentations', db),
    ];
}
