import { type Coalescer, coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import type { Traced } from '../../platform/telemetry/span.ts';
import { appendPendingCounts } from '../deltas.store.ts';
import type { Tier } from '../tiers.ts';

/** All times are ISO 8601 in UTC with milliseconds. */
export interface KeyRow {
    key_id: string;
    account: string;
    mask: string;
    name: string;
    tier: Tier;
    created_at: string;
    updated_at: string;
    revoked_at: string | null;
}

export interface NewKeyRow {
    key_id: string;
    account: string;
    hash: Buffer;
    mask: string;
    name: string;
    tier: Tier;
    created_at: string;
}

/** A key, as its owner identifies it. */
export interface OwnKey {
    account: string;
    key_id: string;
}

export interface LiveKey {
    key_id: string;
    account: string;
    tier: Tier;
}

export interface KeyCounts {
    active: number;
    /** Including revoked ones. */
    all: number;
}

export interface KeyStore {
    /** Inserts the key unless the account has reached one of its quotas. Resolves to whether it did. */
    insert(key: NewKeyRow, most: KeyCounts, traced?: Traced): Promise<boolean>;
    counts(account: string, traced?: Traced): Promise<KeyCounts>;
    /** Up to `limit` keys that are older than `before`, newest first. */
    list(
        target: { account: string; before: string | undefined; limit: number },
        traced?: Traced,
    ): Promise<readonly KeyRow[]>;
    count(account: string, traced?: Traced): Promise<number>;
    find(target: OwnKey, traced?: Traced): Promise<KeyRow | undefined>;
    /** When the key was revoked: now, or the first time. */
    revoke(target: OwnKey & { now: string }, traced?: Traced): Promise<string>;
    rename(target: OwnKey & { name: string; now: string }, traced?: Traced): Promise<KeyRow | undefined>;
    /** The key with this hash, if it is not revoked. */
    findLive: Coalescer<Uint8Array, LiveKey | undefined>;
}

export function keyStore(db: Database): KeyStore {
    return {
        insert: (key, most, traced) => insertKey(db, key, most, traced),
        async counts(account, traced) {
            const statement = sql.unsafe`
                SELECT active_keys AS active, all_keys AS "all" FROM keys.accounts WHERE account = ${account}`;
            const [row] = await db.rows<KeyCounts>(statement, 'key_counts', traced);
            return row ?? { active: 0, all: 0 };
        },
        list: (target, traced) => listKeys(db, target, traced),
        async count(account, traced) {
            const [row] = await db.rows<{ total: number }>(
                sql.unsafe`SELECT count(*) AS total FROM keys.keys WHERE account = ${account}`,
                'key_count',
                traced,
            );
            return row?.total ?? 0;
        },
        find: (target, traced) => findKey(db, target, traced),
        revoke: (target, traced) => revokeKey(db, target, traced),
        rename: (target, traced) => renameKey(db, target, traced),
        findLive: coalesce({
            ...STORE_GROUPS,
            name: 'key_find',
            run: (hashes: Uint8Array[], group) => findLive(db, hashes, group),
        }),
    };
}

const KEY_COLUMNS = sql.fragment`key_id, account, mask, name, tier, created_at, updated_at, revoked_at`;

/**
 * Concurrent callers take turns on the account's row, so each of them sees what the ones before it have inserted. The
 * trigger on keys.keys counts all keys.
 */
async function insertKey(db: Database, key: NewKeyRow, most: KeyCounts, traced?: Traced): Promise<boolean> {
    const statement = sql.unsafe`
        WITH place AS (
            INSERT INTO keys.accounts AS accounts (account, active_keys) VALUES (${key.account}, 1)
            ON CONFLICT (account) DO UPDATE SET active_keys = accounts.active_keys + 1
            WHERE accounts.active_keys < ${most.active} AND accounts.all_keys < ${most.all}
            RETURNING account
        ), written AS (
            INSERT INTO keys.keys (key_id, account, hash, mask, name, tier, created_at, updated_at)
            SELECT ${key.key_id}::uuid, account, ${sql.binary(key.hash)}, ${key.mask}, ${key.name}, ${key.tier},
                   ${key.created_at}::timestamptz, ${key.created_at}::timestamptz
            FROM place
            RETURNING account
        )
        ${appendPendingCounts('api_keys_active')}
        RETURNING account`;
    const counted = await db.rows(statement, 'key_insert', traced);
    return counted.length === 1;
}

async function listKeys(
    db: Database,
    { account, before, limit }: { account: string; before: string | undefined; limit: number },
    traced?: Traced,
): Promise<readonly KeyRow[]> {
    const older = before === undefined ? sql.fragment`` : sql.fragment`AND key_id < ${before}`;
    const statement = sql.unsafe`
        SELECT ${KEY_COLUMNS} FROM keys.keys WHERE account = ${account} ${older} ORDER BY key_id DESC LIMIT ${limit}`;
    return db.rows<KeyRow>(statement, 'key_list', traced);
}

async function findKey(db: Database, { account, key_id }: OwnKey, traced?: Traced): Promise<KeyRow | undefined> {
    const [row] = await db.rows<KeyRow>(
        sql.unsafe`SELECT ${KEY_COLUMNS} FROM keys.keys WHERE key_id = ${key_id} AND account = ${account}`,
        'own_key_find',
        traced,
    );
    return row;
}

async function revokeKey(
    db: Database,
    { account, key_id, now }: OwnKey & { now: string },
    traced?: Traced,
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
    await db.rows(statement, 'key_revoke', traced);
    // A separate statement: the later of two callers sees the earlier one's time only now.
    const key = await findKey(db, { account, key_id }, traced);
    return key?.revoked_at ?? now;
}

async function renameKey(
    db: Database,
    { account, key_id, name, now }: OwnKey & { name: string; now: string },
    traced?: Traced,
): Promise<KeyRow | undefined> {
    const statement = sql.unsafe`
        UPDATE keys.keys SET name = ${name}, updated_at = ${now}
        WHERE key_id = ${key_id} AND account = ${account}
        RETURNING ${KEY_COLUMNS}`;
    const [row] = await db.rows<KeyRow>(statement, 'key_rename', traced);
    return row;
}

async function findLive(db: Database, hashes: Uint8Array[], group: CallLifetime): Promise<Array<LiveKey | undefined>> {
    const wanted = hashes.map((hash) => Buffer.from(hash));
    const rows = await db.prepared<LiveKey & { hash: Buffer }>(
        'keys_find',
        sql.unsafe`
        SELECT hash, key_id, account, tier FROM keys.keys
        WHERE hash = ANY(${sql.array(wanted, 'bytea')}) AND revoked_at IS NULL`,
        group,
    );
    const found = new Map(rows.map((row) => [row.hash.toString('hex'), row]));
    return wanted.map((hash) => found.get(hash.toString('hex')));
}
