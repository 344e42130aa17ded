import { type Database, sql } from '../../platform/postgres/db.ts';
import { ERASED_ROWS, erasedCount, leftNone } from '../../platform/postgres/prune.ts';
import { countErasure } from '../counts/erase.store.ts';
import { ERASED_SUBJECT } from '../counts/erased-subject.ts';
import type { ErasureStep } from '../erasure.ts';
import { claimErasure } from '../idempotency/erase.store.ts';

/**
 * The steps that erase an account in one database. Of a credential stays what says whether it is valid: its id, issuer,
 * account, times, revocation and place on a status list. So a revoked credential does not become valid.
 */
export function credentialErasure(db: Database): readonly ErasureStep[] {
    return [
        async (account, context) => {
            const ids = sql.fragment`
                (${idsOf(account, sql.fragment`<`)}) UNION ALL (${idsOf(account, sql.fragment`>`)}) LIMIT ${ERASED_ROWS}`;
            return leftNone(await db.rows(erasing(ids), 'credentials_erase', context));
        },
        claimErasure('credentials', db),
        ...countErasure('credentials', db),
    ];
}

/** The account's credentials whose subject stands before or after the erased one in the index by account and subject. */
function idsOf(account: string, side: ReturnType<typeof sql.fragment>) {
    const subject = sql.fragment`sha256(subject::bytea)`;
    return sql.fragment`
        SELECT id FROM credentials.credentials
        WHERE account = ${account} AND ${subject} ${side} sha256(${ERASED_SUBJECT}::text::bytea)
        ORDER BY ${subject}, id LIMIT ${ERASED_ROWS}`;
}

/** The step that erases a subject in one database, as the account is erased from its credentials. */
export function subjectStep(db: Database): ErasureStep {
    return async (subject, context) => {
        const ids = sql.fragment`
            SELECT id FROM credentials.credentials WHERE subject = ${subject} ORDER BY id LIMIT ${ERASED_ROWS}`;
        return leftNone(await db.rows(erasing(ids), 'subject_erase', context));
    };
}

/** Erases what the credentials that a query names say about their subjects. */
function erasing(ids: ReturnType<typeof sql.fragment>) {
    return sql.type(erasedCount)`
        WITH erased AS (
            UPDATE credentials.credentials
            SET subject = ${ERASED_SUBJECT}, credential_type = '', revocation_reason = NULL
            WHERE id = ANY(ARRAY(${ids}))
            RETURNING 1
        )
        SELECT count(*) AS erased FROM erased`;
}
