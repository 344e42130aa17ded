import { type Database, sql } from '../../platform/postgres/db.ts';
import { ERASED_ROWS, erasedCount, erasedRows, leftNone } from '../../platform/postgres/prune.ts';
import { countErasure } from '../counts/erase.store.ts';
import { ERASED_SUBJECT } from '../counts/erased-subject.ts';
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

/** The step that erases a holder. The presentations stay, and count. */
export function holderStep(db: Database): ErasureStep {
    return async (holder, context) => {
        const statement = sql.type(erasedCount)`
            WITH erased AS (
                UPDATE presentations.presentations SET holder = ${ERASED_SUBJECT} WHERE id = ANY(ARRAY(
                    SELECT id FROM presentations.presentations WHERE holder = ${holder} ORDER BY id LIMIT ${ERASED_ROWS}))
                RETURNING 1
            )
            SELECT count(*) AS erased FROM erased`;
        return leftNone(await db.rows(statement, 'holder_erase', context));
    };
}
