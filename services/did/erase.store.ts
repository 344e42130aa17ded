import { type Database, sql } from '../../platform/postgres/db.ts';
import { erasedCount, erasedRows, leftNone } from '../../platform/postgres/prune.ts';
import { countErasure } from '../counts/erase.store.ts';
import { appendPendingCounts } from '../counts/pending.store.ts';
import type { ErasureStep } from '../erasure.ts';
import { claimErasure } from '../idempotency/erase.store.ts';

/** The steps that erase an account. The removed DIDs count no more for the platform. */
export function didErasure(db: Database): readonly ErasureStep[] {
    return [
        async (account, context) => {
            const dids = erasedRows({ table: ['did', 'dids'], key: 'did' }, sql.fragment`account = ${account}`);
            const statement = sql.type(erasedCount)`
                WITH erased AS (${dids} RETURNING origin), written AS (
                    SELECT NULL::uuid AS account FROM erased WHERE origin <> 'wallet'
                ), counted AS (
                    ${appendPendingCounts('dids_created', { amount: sql.fragment`-count(*)` })}
                )
                SELECT count(*) AS erased FROM erased`;
            return leftNone(await db.rows(statement, 'did_erase', context));
        },
        claimErasure('did', db),
        async (account) => {
            await db.rows(sql.unsafe`DELETE FROM did.accounts WHERE account = ${account}`);
            return true;
        },
        ...countErasure('did', db),
    ];
}

/** The step that removes a DID that a client has registered. It counts no more for the account that has written it. */
export function registeredStep(db: Database): ErasureStep {
    return async (did, context) => {
        const statement = sql.type(erasedCount)`
            WITH written AS (
                DELETE FROM did.dids WHERE did = ${did} AND origin = 'registered' RETURNING account
            ), counted AS (
                ${appendPendingCounts('dids_created', { amount: sql.fragment`-count(*)` })}
            )
            SELECT count(*) AS erased FROM written`;
        return leftNone(await db.rows(statement, 'did_erase', context));
    };
}
