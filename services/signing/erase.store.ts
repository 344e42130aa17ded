import { type Database, sql } from '../../platform/postgres/db.ts';
import { ERASED_ROWS, erasedCount, erasedRows, leftNone } from '../../platform/postgres/prune.ts';
import type { ErasureStep } from '../erasure.ts';
import { claimErasure } from '../idempotency/erase.store.ts';

/**
 * The steps that erase an account. Its issuers sign no more, and nothing opens their keys again: the data key that seals
 * them is gone. Their DIDs and public keys stay, because others verify with them what the issuers have signed. Rows are
 * changed in one order, so that two runs rarely deadlock; the job repeats one that has.
 */
export function signingErasure(db: Database): readonly ErasureStep[] {
    return [
        eraseIssuers(db),
        eraseReasons(db),
        eraseWebhookSecrets(db),
        eraseDataKeys(db),
        claimErasure('signing', db),
        async (account) => {
            await db.rows(sql.unsafe`DELETE FROM signing.accounts WHERE account = ${account}`);
            return true;
        },
    ];
}

function eraseIssuers(db: Database): ErasureStep {
    return async (account, context) => {
        const statement = sql.type(erasedCount)`
            WITH erased AS (
                UPDATE signing.issuers SET archived_at = coalesce(archived_at, ${new Date().toISOString()}), name = ''
                WHERE id = ANY(ARRAY(
                    SELECT id FROM signing.issuers WHERE account = ${account} AND (archived_at IS NULL OR name <> '')
                    ORDER BY id LIMIT ${ERASED_ROWS}))
                RETURNING 1
            )
            SELECT count(*) AS erased FROM erased`;
        return leftNone(await db.rows(statement, 'issuer_erase', context));
    };
}

/** Why keys were compromised. */
function eraseReasons(db: Database): ErasureStep {
    return async (account, context) => {
        const statement = sql.type(erasedCount)`
            WITH erased AS (
                UPDATE signing.keys SET reason = NULL WHERE kid = ANY(ARRAY(
                    SELECT kid FROM signing.keys JOIN signing.issuers ON issuers.id = keys.issuer
                    WHERE account = ${account} AND reason IS NOT NULL
                    ORDER BY kid LIMIT ${ERASED_ROWS}))
                RETURNING 1
            )
            SELECT count(*) AS erased FROM erased`;
        return leftNone(await db.rows(statement, 'issuer_erase', context));
    };
}

function eraseWebhookSecrets(db: Database): ErasureStep {
    return async (account, context) => {
        const secrets = { table: ['signing', 'webhook_secrets'], key: 'id' } as const;
        const statement = sql.type(erasedCount)`
            WITH erased AS (${erasedRows(secrets, sql.fragment`account = ${account}`)} RETURNING 1)
            SELECT count(*) AS erased FROM erased`;
        return leftNone(await db.rows(statement, 'webhook_secret_erase', context));
    };
}

function eraseDataKeys(db: Database): ErasureStep {
    return async (account, context) => {
        const statement = sql.type(erasedCount)`
            WITH erased AS (
                UPDATE signing.data_keys SET wrapped = '', abandoned_at = coalesce(abandoned_at, ${new Date().toISOString()})
                WHERE id = ANY(ARRAY(
                    SELECT id FROM signing.data_keys WHERE account = ${account} AND wrapped <> ''
                    ORDER BY id LIMIT ${ERASED_ROWS}))
                RETURNING 1
            )
            SELECT count(*) AS erased FROM erased`;
        return leftNone(await db.rows(statement, 'data_key_erase', context));
    };
}
