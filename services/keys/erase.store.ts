import { z } from 'zod';
import type { CallContext } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { ERASED_ROWS } from '../../platform/postgres/prune.ts';
import { countErasure } from '../counts/erase.store.ts';
import { appendPendingCounts } from '../counts/pending.store.ts';
import type { ErasureStep } from '../erasure.ts';
import { claimErasure } from '../idempotency/erase.store.ts';
import { lockAccount } from './places.store.ts';
import { ERASED_VERSION } from './suspend.store.ts';

const idRow = z.strictObject({ key_id: z.string() });

/**
 * The steps that erase an account. The row of the account stays, without counts: a key that a late call creates is
 * unknown. `refuse` tells the gateways before the commit that keys are gone, and rejects if it cannot; then they stay.
 */
export function keyErasure(
    db: Database,
    refuse: (account: string, ids: readonly string[], context: CallContext) => Promise<void>,
): readonly ErasureStep[] {
    return [
        (account, context) => {
            const tell = (ids: readonly string[]) => refuse(account, ids, context);
            return db.transaction((transaction) => eraseKeys(transaction, account, tell), 'keys_erase', context);
        },
        claimErasure('keys', db),
        ...countErasure('keys', db),
    ];
}

/**
 * Keys that may be in use come first. No key counts from the first step on, because all of them will be gone; so the
 * remaining ones are not counted after each step.
 */
async function eraseKeys(
    transaction: Queries,
    account: string,
    refuse: (ids: readonly string[]) => Promise<void>,
): Promise<boolean> {
    const { rows } = transaction;
    await rows(sql.unsafe`
        INSERT INTO keys.accounts (account, active_keys) VALUES (${account}, 0) ON CONFLICT DO NOTHING`);
    await lockAccount(transaction, account);
    await rows(sql.unsafe`
        WITH before AS MATERIALIZED ( -- or a Citus reads it after the change
            SELECT account, active_keys FROM keys.accounts WHERE account = ${account}
        ), ended AS (
            UPDATE keys.accounts
            SET suspended = true, suspension_version = ${ERASED_VERSION}, active_keys = 0, all_keys = 0
            WHERE account = ${account}
        ), written AS (
            SELECT account, active_keys FROM before WHERE active_keys > 0
        )
        ${appendPendingCounts('api_keys_active', { amount: sql.fragment`-sum(active_keys)` })}`);
    const keys = await rows(sql.type(idRow)`
        SELECT key_id FROM keys.keys WHERE account = ${account} ORDER BY revoked_at DESC NULLS FIRST LIMIT ${ERASED_ROWS}`);
    if (keys.length === 0) return true;
    const ids = keys.map(({ key_id }) => key_id);
    await refuse(ids);
    await rows(sql.unsafe`DELETE FROM keys.keys WHERE key_id = ANY(${sql.array(ids, 'uuid')})`);
    return keys.length < ERASED_ROWS;
}
