import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { claimedAlone, type NewClaim, type Outcome } from '../idempotency/claims.store.ts';
import { appendPendingCounts } from '../pending-counts.store.ts';
import { insertAtPlace } from './columns.store.ts';
import type { KeyCounts, NewKeyRow } from './rows.ts';

/** Thrown inside a transaction to undo a claim whose key the quotas refuse. */
const REFUSED = new Error('the account has reached a quota');

/**
 * Inserts the key. Concurrent callers take turns on the account's row, so each of them sees what the ones before it
 * have inserted. The trigger on keys.keys counts all keys.
 */
export async function insertKey(
    db: Database,
    key: NewKeyRow,
    most: KeyCounts,
    lifetime?: CallLifetime,
): Promise<boolean> {
    const statement = sql.unsafe`
        WITH place AS (
            INSERT INTO keys.accounts AS accounts (account, active_keys) VALUES (${key.account}, 1)
            ON CONFLICT (account) DO UPDATE SET active_keys = accounts.active_keys + 1
            WHERE accounts.active_keys < ${most.active} AND accounts.all_keys < ${most.all}
            RETURNING account
        ), written AS (
            ${insertAtPlace(key)}
        )
        ${appendPendingCounts('api_keys_active')}
        RETURNING account`;
    const counted = await db.rows(statement, 'key_insert', lifetime);
    return counted.length === 1;
}

/** Like insertKey, for a key with a claim. If the quotas refuse the key, the transaction takes the claim back. */
export async function insertOnce(
    db: Database,
    key: NewKeyRow,
    { most, claim }: { most: KeyCounts; claim: NewClaim },
    lifetime?: CallLifetime,
): Promise<Outcome> {
    const statement = sql.unsafe`
        WITH ${claimedAlone('keys', claim)}, place AS (
            INSERT INTO keys.accounts AS accounts (account, active_keys) SELECT ${key.account}::uuid, 1 FROM claimed
            ON CONFLICT (account) DO UPDATE SET active_keys = accounts.active_keys + 1
            WHERE accounts.active_keys < ${most.active} AND accounts.all_keys < ${most.all}
            RETURNING account
        ), written AS (
            ${insertAtPlace(key)}
        ), counted AS (${appendPendingCounts('api_keys_active')})
        SELECT (SELECT count(*) FROM claimed) AS claims, (SELECT count(*) FROM written) AS keys`;
    try {
        return await db.transaction(
            async ({ rows }) => {
                const [made] = await rows<{ claims: number; keys: number }>(statement);
                if (made?.claims === 0) return 'held';
                if (made?.keys === 0) throw REFUSED;
                return 'written';
            },
            'key_insert_once',
            lifetime,
        );
    } catch (error) {
        if (error === REFUSED) return 'refused';
        throw error;
    }
}
