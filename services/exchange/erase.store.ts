import { type Database, sql } from '../../platform/postgres/db.ts';
import { ERASED_ROWS, erasedCount, erasedRows, leftNone } from '../../platform/postgres/prune.ts';
import type { ErasureStep } from '../erasure.ts';
import { claimErasure } from '../idempotency/erase.store.ts';
import { subjectHashOf } from './secrets.ts';

/**
 * The step that empties and ends the offers for the subject with this DID. A wallet that is taking a credential then learns it
 * from noteGroup (wallet/bind.store.ts). These offers are removed a day after they were made.
 */
export function offersOfSubject(db: Database, pepper: string): ErasureStep {
    return async (did) =>
        leftNone(
            await db.rows(sql.type(erasedCount)`
                WITH erased AS (
                    UPDATE exchange.offers SET sealed = '', subject_hash = NULL, tx_code = NULL, expires_at = created_at,
                        token_expires_at = created_at
                    WHERE id = ANY(ARRAY(
                        SELECT id FROM exchange.offers WHERE subject_hash = ${sql.binary(subjectHashOf(did, pepper))}
                        ORDER BY id LIMIT ${ERASED_ROWS}))
                    RETURNING 1
                ) SELECT count(*) AS erased FROM erased`),
        );
}

/** The steps that erase an account. The first one ends its offers. */
export function exchangeErasure(db: Database): readonly ErasureStep[] {
    return [
        erased(db, 'offers', 'id'),
        erased(db, 'configurations', 'issuer'),
        claimErasure('exchange', db),
        forget(db),
    ];
}

function erased(db: Database, table: 'offers' | 'configurations', key: string): ErasureStep {
    return async (account) => {
        const rows = erasedRows({ table: ['exchange', table], key }, sql.fragment`account = ${account}`);
        return leftNone(
            await db.rows(sql.type(erasedCount)`
                WITH erased AS (${rows} RETURNING 1) SELECT count(*) AS erased FROM erased`),
        );
    };
}

function forget(db: Database): ErasureStep {
    return async (account) => {
        await db.rows(sql.unsafe`DELETE FROM exchange.accounts WHERE account = ${account}`);
        return true;
    };
}
