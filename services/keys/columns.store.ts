import { sql } from '../../platform/postgres/db.ts';
import { BUCKET } from './places.store.ts';
import type { Restrictions } from './restrictions.ts';
import { lockedKeyRow, type NewKeyRow, type OwnKey } from './rows.ts';

export const RESTRICTION_COLUMNS = sql.fragment`expires_at, scopes, allowed::text[] AS allowed`;
export const KEY_COLUMNS = sql.fragment`
    key_id, account, mask, name, tier, created_at, updated_at, revoked_at, replaced_by, ${RESTRICTION_COLUMNS}`;

/** Selects a key, and blocks other changes of it until the transaction ends. */
export function lockKey({ account, key_id }: OwnKey) {
    return sql.type(lockedKeyRow)`
        SELECT ${KEY_COLUMNS}, ${BUCKET} AS bucket FROM keys.keys
        WHERE key_id = ${key_id} AND account = ${account} FOR UPDATE`;
}

/** The beginning of a statement that inserts a key: a condition may follow. A bucket of null is the key's own. */
export function insertedKey(key: NewKeyRow, bucket: ReturnType<typeof sql.fragment>) {
    return sql.fragment`
        INSERT INTO keys.keys
            (key_id, account, hash, mask, name, tier, created_at, updated_at, expires_at, scopes, allowed, bucket)
        SELECT ${key.key_id}::uuid, ${key.account}::uuid, ${sql.binary(key.hash)}, ${key.mask}, ${key.name}, ${key.tier},
               ${key.created_at}::timestamptz, ${key.created_at}::timestamptz, ${restrictionValues(key)}, ${bucket}`;
}

/** The values of expires_at, scopes and allowed, in this order. */
function restrictionValues({ expires_at, scopes, allowed }: Restrictions) {
    return sql.fragment`${expires_at}::timestamptz, ${arrayOf(scopes, 'text')}, ${arrayOf(allowed, 'cidr')}`;
}

export function arrayOf(items: readonly string[] | null, type: 'text' | 'cidr') {
    return items === null ? sql.fragment`NULL` : sql.fragment`${sql.array([...items], type)}`;
}
