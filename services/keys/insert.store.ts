import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { makeClaim, type NewClaim, type Outcome } from '../idempotency/claims.store.ts';
import { causeOf } from '../outbox/cause.ts';
import { appendOwnEvents } from '../outbox/outbox.store.ts';
import { insertedKey } from './columns.store.ts';
import { allKeys, freeBucket, lockAccount, placesInUse, settlePlaces } from './places.store.ts';
import type { KeyCounts, NewKeyRow } from './rows.ts';

/** Thrown inside a transaction to undo it if the quotas refuse the key. */
const REFUSED = new Error('the account has reached a quota');

interface NewKeyConditions {
    most: KeyCounts;
    /** Windows of keys that have ended since then may be open (ISO 8601). */
    since: string;
    claim?: NewClaim | undefined;
}

/**
 * Inserts the key, and claims an Idempotency-Key for it if there is one. Concurrent callers take turns on the account's
 * row, so each of them sees what the ones before it have inserted.
 */
export async function insertKey(
    db: Database,
    key: NewKeyRow,
    { most, since, claim }: NewKeyConditions,
    lifetime?: CallLifetime,
): Promise<Outcome> {
    const { account, created_at: now } = key;
    const work = async (transaction: Queries): Promise<Outcome> => {
        await transaction.rows(sql.unsafe`
            INSERT INTO keys.accounts (account, active_keys) VALUES (${account}, 0) ON CONFLICT DO NOTHING`);
        await lockAccount(transaction, account);
        if (claim && !(await makeClaim(transaction, 'keys', claim))) return 'held';
        const inserted = await transaction.rows(sql.unsafe`
            ${insertedKey(key, sql.fragment`(${freeBucket({ account, now, since })})`)}
            WHERE (${placesInUse(account, now)}) < ${most.active} AND (${allKeys(account)}) < ${most.all}
            RETURNING key_id`);
        if (inserted.length === 0) throw REFUSED;
        await settlePlaces(transaction, [account], now);
        const cause = causeOf(lifetime, account);
        const data = [{ key_id: key.key_id }];
        await appendOwnEvents(transaction, 'keys', { account, type: 'key.created', data, cause });
        return 'written';
    };
    try {
        return await db.transaction(work, 'key_insert', lifetime);
    } catch (error) {
        if (error === REFUSED) return 'refused';
        throw error;
    }
}
