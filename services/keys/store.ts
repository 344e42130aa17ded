import { z } from 'zod';
import type { Version } from '../../platform/access/liveness-marks.ts';
import type { Coalescer } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import type { ErasureStep } from '../erasure.ts';
import { causeOf } from '../outbox/cause.ts';
import { appendOwnEvents } from '../outbox/outbox.store.ts';
import { KEY_COLUMNS, RESTRICTION_COLUMNS } from './columns.store.ts';
import { keyErasure } from './erase.store.ts';
import { insertKey } from './insert.store.ts';
import { allKeys, BUCKET, lives, lockAccount, placesInUse, releaseExpired, settlePlaces } from './places.store.ts';
import { restrictKey } from './restrict.store.ts';
import { rotateKey } from './rotate.store.ts';
import { hashedKey, type KeyCounts, type KeyRow, keyCounts, keyRow, type OwnKey, versionRow } from './rows.ts';
import { ERASED_VERSION, setSuspension, standings, suspensions } from './suspend.store.ts';

/** A key that was found by its hash. */
export type HashedKey = Omit<z.infer<typeof hashedKey>, 'hash'>;

const countRow = z.strictObject({ total: z.number() });

export interface KeyStore {
    /** `refused`: the account has reached one of its quotas. */
    insert: Bound<typeof insertKey>;
    /** `now`: ISO 8601. */
    counts(target: { account: string; now: string }, lifetime?: CallLifetime): Promise<KeyCounts>;
    /** Returns up to `limit` keys that are older than `before`, newest first. */
    list(
        target: { account: string; before: string | undefined; limit: number },
        lifetime?: CallLifetime,
    ): Promise<readonly KeyRow[]>;
    count(account: string, lifetime?: CallLifetime): Promise<number>;
    find(target: OwnKey, lifetime?: CallLifetime): Promise<KeyRow | undefined>;
    /** Returns the versions of the key and of the other living keys at its place. */
    versions(target: OwnKey & { now: string }, lifetime?: CallLifetime): Promise<readonly Version[]>;
    /** Revokes the key. Returns when it was first revoked, now or earlier. */
    revoke(target: OwnKey & { now: string }, lifetime?: CallLifetime): Promise<string>;
    rename(target: OwnKey & { name: string; now: string }, lifetime?: CallLifetime): Promise<KeyRow | undefined>;
    restrict: Bound<typeof restrictKey>;
    rotate: Bound<typeof rotateKey>;
    setSuspension: Bound<typeof setSuspension>;
    /** Whether the account is suspended. */
    suspended: ReturnType<typeof suspensions>;
    standing: ReturnType<typeof standings>;
    /** See keyErasure. */
    erasure(refuse: Parameters<typeof keyErasure>[1]): readonly ErasureStep[];
    releaseExpired: Bound<typeof releaseExpired>;
    /** Finds the key with this hash, also if it is revoked or has expired. An erased account has none. */
    findByHash: Coalescer<Uint8Array, HashedKey | undefined>;
}

/** A statement without its first parameter, the database. */
type Bound<Statement> = Statement extends (db: Database, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;

export function keyStore(db: Database): KeyStore {
    const find = ownKeys(db);
    return {
        insert: (key, conditions, lifetime) => insertKey(db, key, conditions, lifetime),
        async counts({ account, now }, lifetime) {
            const statement = sql.type(keyCounts)`
                SELECT (${placesInUse(account, now)}) AS active, (${allKeys(account)}) AS "all"`;
            const [row] = await db.rows(statement, 'key_counts', lifetime);
            return row as KeyCounts; // a SELECT without FROM has one row
        },
        list: (target, lifetime) => listKeys(db, target, lifetime),
        async count(account, lifetime) {
            const [row] = await db.rows(
                sql.type(countRow)`SELECT (${allKeys(account)}) AS total`,
                'key_count',
                lifetime,
            );
            return row?.total ?? 0;
        },
        find,
        versions: (target, lifetime) => versionsOf(db, target, lifetime),
        revoke: (target, lifetime) => revokeKey(db, find, target, lifetime),
        rename: (target, lifetime) => renameKey(db, target, lifetime),
        restrict: (change, steps, lifetime) => restrictKey(db, change, steps, lifetime),
        rotate: (rotation, steps, lifetime) => rotateKey(db, rotation, steps, lifetime),
        setSuspension: (change, lifetime) => setSuspension(db, change, lifetime),
        suspended: suspensions(db),
        standing: standings(db),
        erasure: (refuse) => keyErasure(db, refuse),
        releaseExpired: (target) => releaseExpired(db, target),
        findByHash: rowLookup(db, {
            name: 'key_find',
            statement: 'keys_find',
            keyOf: ({ hash }) => hash,
            textOf: (hash) => Buffer.from(hash).toString('hex'),
            query: (hashes: Uint8Array[]) => sql.type(hashedKey)`
                SELECT hash, key_id, account, tier, revoked_at, coalesce(suspended, false) AS suspended, version,
                       ${BUCKET} AS bucket, ${RESTRICTION_COLUMNS}
                FROM keys.keys LEFT JOIN keys.accounts USING (account)
                WHERE hash = ANY(${sql.array(
                    hashes.map((hash) => Buffer.from(hash)),
                    'bytea',
                )}) AND suspension_version IS DISTINCT FROM ${ERASED_VERSION}`,
        }),
    };
}

async function listKeys(
    db: Database,
    { account, before, limit }: { account: string; before: string | undefined; limit: number },
    lifetime?: CallLifetime,
): Promise<readonly KeyRow[]> {
    const older = before === undefined ? sql.fragment`` : sql.fragment`AND key_id < ${before}`;
    const statement = sql.type(keyRow)`
        SELECT ${KEY_COLUMNS} FROM keys.keys WHERE account = ${account} ${older} ORDER BY key_id DESC LIMIT ${limit}`;
    return db.rows(statement, 'key_list', lifetime);
}

/** Returns a function that finds a key of an account. */
function ownKeys(db: Database): KeyStore['find'] {
    const find = rowLookup(db, {
        name: 'own_key_find',
        statement: 'own_keys_find',
        keyOf: ({ key_id }) => key_id,
        query: (ids: string[]) => sql.type(keyRow)`
            SELECT ${KEY_COLUMNS} FROM keys.keys WHERE key_id = ANY(${sql.array(ids, 'uuid')})`,
    });
    return async ({ account, key_id }, lifetime) => {
        const row = await find(key_id, lifetime);
        return row?.account === account ? row : undefined;
    };
}

function versionsOf(
    db: Database,
    { account, key_id, now }: OwnKey & { now: string },
    lifetime?: CallLifetime,
): Promise<readonly Version[]> {
    const statement = sql.type(versionRow)`
        SELECT key_id AS id, version FROM keys.keys
        WHERE account = ${account} AND (key_id = ${key_id} OR ${lives(now)} AND ${BUCKET} = (
            SELECT ${BUCKET} FROM keys.keys WHERE key_id = ${key_id} AND account = ${account}))`;
    return db.rows(statement, 'key_versions', lifetime);
}

async function revokeKey(
    db: Database,
    find: KeyStore['find'],
    { account, key_id, now }: OwnKey & { now: string },
    lifetime?: CallLifetime,
): Promise<string> {
    await db.transaction(
        async (transaction) => {
            await lockAccount(transaction, account);
            const revoked = await transaction.rows(sql.unsafe`
                UPDATE keys.keys SET revoked_at = ${now}
                WHERE key_id = ${key_id} AND account = ${account} AND revoked_at IS NULL
                RETURNING key_id`);
            if (revoked.length === 0) return;
            await settlePlaces(transaction, [account], now);
            const cause = causeOf(lifetime, account);
            await appendOwnEvents(transaction, 'keys', { account, type: 'key.revoked', data: [{ key_id }], cause });
        },
        'key_revoke',
        lifetime,
    );
    const key = await find({ account, key_id }, lifetime);
    return key?.revoked_at ?? now;
}

async function renameKey(
    db: Database,
    { account, key_id, name, now }: OwnKey & { name: string; now: string },
    lifetime?: CallLifetime,
): Promise<KeyRow | undefined> {
    const statement = sql.type(keyRow)`
        UPDATE keys.keys SET name = ${name}, updated_at = CASE WHEN name = ${name} THEN updated_at ELSE ${now} END
        WHERE key_id = ${key_id} AND account = ${account}
        RETURNING ${KEY_COLUMNS}`;
    const [row] = await db.rows(statement, 'key_rename', lifetime);
    return row;
}
