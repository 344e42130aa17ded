import type { Coalescer } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import type { NewClaim, Outcome } from '../idempotency/claims.store.ts';
import { appendPendingCounts } from '../pending-counts.store.ts';
import type { Tier } from '../tiers.ts';
import { insertKey, insertOnce } from './insert.store.ts';
import type { KeyCounts, KeyRow, NewKeyRow } from './rows.ts';

/** Identifies a key of an account. */
export interface OwnKey {
    account: string;
    key_id: string;
}

export interface LiveKey {
    key_id: string;
    account: string;
    tier: Tier;
}

export interface KeyStore {
    /**
     * Inserts the key, and claims an Idempotency-Key for it if there is one. `refused`: the account has reached one of its
     * quotas.
     */
    insert(
        key: NewKeyRow,
        conditions: { most: KeyCounts; claim?: NewClaim | undefined },
        lifetime?: CallLifetime,
    ): Promise<Outcome>;
    counts(account: string, lifetime?: CallLifetime): Promise<KeyCounts>;
    /** Returns up to `limit` keys that are older than `before`, newest first. */
    list(
        target: { account: string; before: string | undefined; limit: number },
        lifetime?: CallLifetime,
    ): Promise<readonly KeyRow[]>;
    count(account: string, lifetime?: CallLifetime): Promise<number>;
    find(target: OwnKey, lifetime?: CallLifetime): Promise<KeyRow | undefined>;
    /** Revokes the key. Returns when it was first revoked, now or earlier. */
    revoke(target: OwnKey & { now: string }, lifetime?: CallLifetime): Promise<string>;
    rename(target: OwnKey & { name: string; now: string }, lifetime?: CallLifetime): Promise<KeyRow | undefined>;
    /** Finds the key with this hash, if it is not revoked. */
    findLive: Coalescer<Uint8Array, LiveKey | undefined>;
}

export function keyStore(db: Database): KeyStore {
    return {
        async insert(key, { most, claim }, lifetime) {
            if (claim) return insertOnce(db, key, { most, claim }, lifetime);
            return (await insertKey(db, key, most, lifetime)) ? 'written' : 'refused';
        },
        async counts(account, lifetime) {
            const statement = sql.unsafe`
                SELECT active_keys AS active, all_keys AS "all" FROM keys.accounts WHERE account = ${account}`;
            const [row] = await db.rows<KeyCounts>(statement, 'key_counts', lifetime);
            return row ?? { active: 0, all: 0 };
        },
        list: (target, lifetime) => listKeys(db, target, lifetime),
        async count(account, lifetime) {
            const [row] = await db.rows<{ total: number }>(
                sql.unsafe`SELECT count(*) AS total FROM keys.keys WHERE account = ${account}`,
                'key_count',
                lifetime,
            );
            return row?.total ?? 0;
        },
        find: (target, lifetime) => findKey(db, target, lifetime),
        revoke: (target, lifetime) => revokeKey(db, target, lifetime),
        rename: (target, lifetime) => renameKey(db, target, lifetime),
        findLive: rowLookup<Uint8Array, LiveKey & { hash: Buffer }>(db, {
            name: 'key_find',
            statement: 'keys_find',
            keyOf: ({ hash }) => hash,
            textOf: (hash) => Buffer.from(hash).toString('hex'),
            query: (hashes) => sql.unsafe`
                SELECT hash, key_id, account, tier FROM keys.keys
                WHERE hash = ANY(${sql.array(
                    hashes.map((hash) => Buffer.from(hash)),
                    'bytea',
                )}) AND revoked_at IS NULL`,
        }),
    };
}

const KEY_COLUMNS = sql.fragment`key_id, account, mask, name, tier, created_at, updated_at, revoked_at`;

async function listKeys(
    db: Database,
    { account, before, limit }: { account: string; before: string | undefined; limit: number },
    lifetime?: CallLifetime,
): Promise<readonly KeyRow[]> {
    const older = before === undefined ? sql.fragment`` : sql.fragment`AND key_id < ${before}`;
    const statement = sql.unsafe`
        SELECT ${KEY_COLUMNS} FROM keys.keys WHERE account = ${account} ${older} ORDER BY key_id DESC LIMIT ${limit}`;
    return db.rows<KeyRow>(statement, 'key_list', lifetime);
}

async function findKey(
    db: Database,
    { account, key_id }: OwnKey,
    lifetime?: CallLifetime,
): Promise<KeyRow | undefined> {
    const [row] = await db.rows<KeyRow>(
        sql.unsafe`SELECT ${KEY_COLUMNS} FROM keys.keys WHERE key_id = ${key_id} AND account = ${account}`,
        'own_key_find',
        lifetime,
    );
    return row;
}

async function revokeKey(
    db: Database,
    { account, key_id, now }: OwnKey & { now: string },
    lifetime?: CallLifetime,
): Promise<string> {
    const statement = sql.unsafe`
        WITH written AS (
            UPDATE keys.keys SET revoked_at = ${now}
            WHERE key_id = ${key_id} AND account = ${account} AND revoked_at IS NULL
            RETURNING account
        ), freed AS (
            UPDATE keys.accounts SET active_keys = active_keys - 1 WHERE account IN (SELECT account FROM written)
        )
        ${appendPendingCounts('api_keys_active', -1)}`;
    await db.rows(statement, 'key_revoke', lifetime);
    // A separate statement: if two callers revoke the key, the later one can only now see the time of the earlier one.
    const key = await findKey(db, { account, key_id }, lifetime);
    return key?.revoked_at ?? now;
}

async function renameKey(
    db: Database,
    { account, key_id, name, now }: OwnKey & { name: string; now: string },
    lifetime?: CallLifetime,
): Promise<KeyRow | undefined> {
    const statement = sql.unsafe`
        UPDATE keys.keys SET name = ${name}, updated_at = ${now}
        WHERE key_id = ${key_id} AND account = ${account}
        RETURNING ${KEY_COLUMNS}`;
    const [row] = await db.rows<KeyRow>(statement, 'key_rename', lifetime);
    return row;
}
