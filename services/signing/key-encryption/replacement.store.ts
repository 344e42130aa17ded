import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { type SealedSecretKey, sealedSecretKey } from '../rows.ts';
import { countRow, type StoredDataKey, storedDataKey } from './rewrap.store.ts';

/** A sealed key of an issuer. */
const storedKey = sealedSecretKey.extend({ issuer: z.string() });
export type StoredKey = z.infer<typeof storedKey>;

const overRow = z.strictObject({ over: z.boolean() });

/** A sealed secret of a webhook. */
const storedSecret = z.strictObject({
    id: z.string(),
    webhook: z.string(),
    account: z.string(),
    sealed: z.instanceof(Buffer),
});
type StoredSecret = z.infer<typeof storedSecret>;

export interface ReplacementStore {
    /** Whether this time is over by the clock of the database. */
    isOver(time: string): Promise<boolean>;
    /** Returns up to `limit` data keys after `after`, by id, that were made before this time. */
    page(range: { before: string; after: string; limit: number }): Promise<readonly StoredDataKey[]>;
    /** Finds the newest data key of the account that was made at this time or later. */
    findSince(time: string, account: string | null): Promise<StoredDataKey | undefined>;
    insert(dataKey: StoredDataKey): Promise<void>;
    /** Returns up to `limit` keys after `after`, by kid, that the data key seals. */
    keysOf(dataKey: string, range: { after: string; limit: number }): Promise<readonly StoredKey[]>;
    /** Replaces the sealed secret key, unless another data key seals it by now. */
    reseal(key: SealedSecretKey, from: string): Promise<void>;
    /** Returns up to `limit` secrets of webhooks after `after`, by id, that the data key seals. */
    secretsOf(dataKey: string, range: { after: string; limit: number }): Promise<readonly StoredSecret[]>;
    /** Like `reseal`, for the secret of a webhook. */
    resealSecret(secret: { id: string } & Pick<SealedSecretKey, 'sealed' | 'data_key'>, from: string): Promise<void>;
    /** Removes a data key that seals nothing. */
    remove(dataKey: string): Promise<void>;
    /** Counts the data keys that were made before this time. */
    count(before: string): Promise<number>;
}

export function replacementStore(db: Database): ReplacementStore {
    return { ...dataKeys(db), ...sealedWithThem(db) };
}

type OfSealed = 'keysOf' | 'reseal' | 'secretsOf' | 'resealSecret';

function dataKeys(db: Database): Omit<ReplacementStore, OfSealed> {
    return {
        async isOver(time) {
            const [row] = await db.rows(sql.type(overRow)`SELECT ${time}::timestamptz <= now() AS over`);
            return row?.over ?? false;
        },
        page: ({ before, after, limit }) =>
            db.rows(sql.type(storedDataKey)`
                SELECT id, account, kek, wrapped FROM signing.data_keys
                WHERE id > ${after} AND created_at < ${before} AND abandoned_at IS NULL ORDER BY id LIMIT ${limit}`),
        async findSince(time, account) {
            const owned = account === null ? sql.fragment`account IS NULL` : sql.fragment`account = ${account}`;
            const [row] = await db.rows(sql.type(storedDataKey)`
                SELECT id, account, kek, wrapped FROM signing.data_keys
                WHERE ${owned} AND created_at >= ${time} AND abandoned_at IS NULL ORDER BY created_at DESC LIMIT 1`);
            return row;
        },
        async insert({ id, account, kek, wrapped }) {
            await db.rows(sql.unsafe`
                INSERT INTO signing.data_keys (id, account, kek, wrapped, created_at)
                VALUES (${id}, ${account}, ${kek}, ${sql.binary(wrapped)}, now())`);
        },
        async remove(dataKey) {
            await db.rows(sql.unsafe`
                DELETE FROM signing.data_keys
                WHERE id = ${dataKey} AND NOT EXISTS (SELECT FROM signing.keys WHERE data_key = ${dataKey})
                    AND NOT EXISTS (SELECT FROM signing.webhook_secrets WHERE data_key = ${dataKey})`);
        },
        async count(before) {
            const [row] = await db.rows(sql.type(countRow)`
                SELECT count(*) AS left FROM signing.data_keys WHERE created_at < ${before} AND abandoned_at IS NULL`);
            return row?.left ?? 0;
        },
    };
}

function sealedWithThem(db: Database): Pick<ReplacementStore, OfSealed> {
    return {
        keysOf: (dataKey, { after, limit }) =>
            db.rows(sql.type(storedKey)`
                SELECT kid, issuer, sealed, data_key FROM signing.keys WHERE data_key = ${dataKey} AND kid > ${after}
                ORDER BY kid LIMIT ${limit}`),
        async reseal({ kid, sealed, data_key }, from) {
            await db.rows(sql.unsafe`
                UPDATE signing.keys SET sealed = ${sql.binary(sealed)}, data_key = ${data_key}
                WHERE kid = ${kid} AND data_key = ${from}`);
        },
        secretsOf: (dataKey, { after, limit }) =>
            db.rows(sql.type(storedSecret)`
                SELECT id, webhook, account, sealed FROM signing.webhook_secrets
                WHERE data_key = ${dataKey} AND id > ${after} ORDER BY id LIMIT ${limit}`),
        async resealSecret({ id, sealed, data_key }, from) {
            await db.rows(sql.unsafe`
                UPDATE signing.webhook_secrets SET sealed = ${sql.binary(sealed)}, data_key = ${data_key}
                WHERE id = ${id} AND data_key = ${from}`);
        },
    };
}
