import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import type { Sealed } from '../data-keys.ts';
import type { PageRange } from './pages.ts';
import { dataKeysWhere, type StoredDataKey, storedDataKey } from './rewrap.store.ts';

/** What data keys seal: the keys of issuers, and the secrets of webhooks. */
export const RECORD_KINDS = ['key', 'secret'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** Where the records of each kind are: their table, their id, and what they belong to. */
const TABLES = {
    key: { table: ['signing', 'keys'], id: ['kid'], owner: ['issuer'] },
    secret: { table: ['signing', 'webhook_secrets'], id: ['id'], owner: ['webhook'] },
} as const satisfies Record<RecordKind, object>;

const sealedRecord = z.strictObject({ id: z.string(), owner: z.string(), sealed: z.instanceof(Buffer) });
export type SealedRecord = z.infer<typeof sealedRecord>;

const overRow = z.strictObject({ over: z.boolean() });

export interface ReplacementStore {
    /** Whether this time is over by the clock of the database. */
    isOver(time: string): Promise<boolean>;
    /** Returns a page of the data keys that were made before this time. */
    page(before: string, range: PageRange): Promise<readonly StoredDataKey[]>;
    /** Finds the newest data key of the account that was made at this time or later. */
    findSince(time: string, account: string | null): Promise<StoredDataKey | undefined>;
    insert(dataKey: StoredDataKey): Promise<void>;
    /** Returns a page of the records of a kind that the data key seals. */
    sealedWith(dataKey: string, kind: RecordKind, range: PageRange): Promise<readonly SealedRecord[]>;
    /** Replaces the sealed bytes of a record, unless another data key than `from` seals it by now. */
    reseal(kind: RecordKind, record: Sealed & { id: string }, from: string): Promise<void>;
    /** Removes a data key that seals nothing. */
    remove(dataKey: string): Promise<void>;
    /** Counts the data keys that were made before this time. */
    count(before: string): Promise<number>;
}

export function replacementStore(db: Database): ReplacementStore {
    return { ...dataKeys(db), ...records(db) };
}

type OfRecords = 'sealedWith' | 'reseal';

function dataKeys(db: Database): Omit<ReplacementStore, OfRecords> {
    const older = (before: string) => dataKeysWhere(db, sql.fragment`created_at < ${before}`);
    return {
        async isOver(time) {
            const [row] = await db.rows(sql.type(overRow)`SELECT ${time}::timestamptz <= now() AS over`);
            return row?.over ?? false;
        },
        page: (before, range) => older(before).page(range),
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
        count: (before) => older(before).count(),
    };
}

function records(db: Database): Pick<ReplacementStore, OfRecords> {
    return {
        sealedWith(dataKey, kind, { after, limit }) {
            const [table, id, owner] = identifiersOf(kind);
            const rest = after === undefined ? sql.fragment`true` : sql.fragment`${id} > ${after}`;
            return db.rows(sql.type(sealedRecord)`
                SELECT ${id} AS id, ${owner} AS owner, sealed FROM ${table} WHERE data_key = ${dataKey} AND ${rest}
                ORDER BY ${id} LIMIT ${limit}`);
        },
        async reseal(kind, { id: own, sealed, data_key }, from) {
            const [table, id] = identifiersOf(kind);
            await db.rows(sql.unsafe`
                UPDATE ${table} SET sealed = ${sql.binary(sealed)}, data_key = ${data_key}
                WHERE ${id} = ${own} AND data_key = ${from}`);
        },
    };
}

function identifiersOf(kind: RecordKind) {
    const { table, id, owner } = TABLES[kind];
    return [sql.identifier(table), sql.identifier(id), sql.identifier(owner)] as const;
}
