import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { appendPendingCounts } from '../pending-counts.store.ts';
import { arrayOf, KEY_COLUMNS, lockKey } from './columns.store.ts';
import { hasExpired, type Restrictions } from './restrictions.ts';
import type { KeyRow, LockedKeyRow, OwnKey } from './rows.ts';

export interface RestrictionChange extends OwnKey {
    name: string | undefined;
    change: Partial<Restrictions>;
    now: string;
    /** Maximum number of active keys of the account. */
    mostActive: number;
}

interface Steps {
    /** Throws if the key may not be changed in this way. */
    check(key: KeyRow): void;
    /** Returns the error if the key would be active again, but the account has no place for it. */
    full(): Error;
    beforeCommit(version: number): Promise<void>;
}

/** Changes restrictions of a key in a transaction, which gives it the next version. Undefined: there is no such key. */
export function restrictKey(
    db: Database,
    { name, change, now, mostActive, ...own }: RestrictionChange,
    { check, full, beforeCommit }: Steps,
    lifetime?: CallLifetime,
): Promise<KeyRow | undefined> {
    const work = async (transaction: Queries): Promise<KeyRow | undefined> => {
        const [key] = await transaction.rows<LockedKeyRow>(lockKey(own));
        if (!key) return undefined;
        check(key);
        const next = { ...key, ...change };
        const isActive = key.revoked_at === null && key.replaced_by === null && !hasExpired(next, Date.parse(now));
        const isBack = isActive && !key.counted;
        if (isBack && !(await takePlace(transaction, own, mostActive))) throw full();
        const [changed] = await transaction.rows<KeyRow & { version: number }>(sql.unsafe`
            UPDATE keys.keys SET name = ${name ?? key.name}, updated_at = ${now}, version = version + 1,
                expires_at = ${next.expires_at}::timestamptz, scopes = ${arrayOf(next.scopes, 'text')},
                allowed = ${arrayOf(next.allowed, 'cidr')}, counted = counted OR ${isBack}
            WHERE key_id = ${key.key_id}
            RETURNING ${KEY_COLUMNS}, version`);
        if (changed) await beforeCommit(changed.version);
        return changed;
    };
    return db.transaction(work, 'key_restrict', lifetime);
}

/** Counts an expired key as active again. Returns false if the account has too many active keys. */
async function takePlace(transaction: Queries, { account }: OwnKey, mostActive: number): Promise<boolean> {
    const taken = await transaction.rows(sql.unsafe`
        WITH written AS (
            UPDATE keys.accounts SET active_keys = active_keys + 1
            WHERE account = ${account} AND active_keys < ${mostActive}
            RETURNING account
        )
        ${appendPendingCounts('api_keys_active')}
        RETURNING account`);
    return taken.length === 1;
}
