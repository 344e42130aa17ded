import { z } from 'zod';
import type { Coalescer } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import { type AccountPage, accountPage, LAST_ID } from '../account-pages.store.ts';
import type { ErasureStep } from '../erasure.ts';
import type { NewClaim } from '../idempotency/claims.store.ts';
import { walletErasure } from './erase.store.ts';
import { insertWallet, putEntry, removeEntry, type SealedClaim } from './insert.store.ts';
import {
    type EntryName,
    type EntryRow,
    entryRow,
    type LockedKey,
    type NewEntry,
    type WalletRow,
    walletRow,
} from './rows.ts';

const listedWallet = walletRow.pick({ id: true, created_at: true });
export type ListedWallet = z.infer<typeof listedWallet>;

interface PageRange {
    before: string | undefined;
    limit: number;
    bytes: number;
}

export interface WalletStore {
    /**
     * Inserts the wallet. Claims an Idempotency-Key for it if there is one. `held`: nothing was written, because an earlier
     * call holds the claim.
     */
    insert(wallet: WalletRow, claim?: NewClaim, lifetime?: CallLifetime): Promise<'written' | 'held'>;
    find: Coalescer<string, WalletRow | undefined>;
    /** Returns the account's wallets below the id `before`, newest first. */
    list(page: AccountPage, lifetime?: CallLifetime): Promise<readonly ListedWallet[]>;
    /** Replaces the sealed data key and its parameters. */
    relock(id: string, locked: LockedKey, lifetime?: CallLifetime): Promise<void>;
    /**
     * Inserts the entry or, if its credential is stored already, replaces the sealed record. Resolves to the time at
     * which the credential was first stored. Writes nothing and resolves to undefined if the stored credential has
     * another issuer. Claims an Idempotency-Key if there is one; resolves to `held`, and writes nothing, if an earlier call
     * holds the claim.
     */
    put(entry: NewEntry, once?: SealedClaim, lifetime?: CallLifetime): Promise<string | 'held' | undefined>;
    /** Returns the size of an entry, sealed, in bytes; undefined if there is none. */
    sizeOf(name: EntryName, lifetime?: CallLifetime): Promise<number | undefined>;
    /**
     * Reads entries below `before`, newest first: up to `limit` rows of about `bytes`, but at least one row. `more`:
     * whether more rows follow.
     */
    page(
        wallet: string,
        range: PageRange,
        lifetime?: CallLifetime,
    ): Promise<{ rows: readonly EntryRow[]; more: boolean }>;
    count(wallet: string, lifetime?: CallLifetime): Promise<number>;
    /** Removes an entry. Resolves to true if it existed. */
    remove(name: EntryName, lifetime?: CallLifetime): Promise<boolean>;
    /** See walletErasure. */
    erasure(forget: Parameters<typeof walletErasure>[1]): readonly ErasureStep[];
}

const sizeRow = z.strictObject({ size: z.number() });
const countRow = z.strictObject({ total: z.number() });
/** `ahead`: how many rows there are below `before`, at most one more than the page may have. */
const pagedRow = entryRow.extend({ ahead: z.number() });

export function walletStore(db: Database): WalletStore {
    return {
        insert: (wallet, claim, lifetime) => insertWallet(db, wallet, claim, lifetime),
        find: rowLookup(db, {
            name: 'wallet_find',
            statement: 'wallets_find',
            keyOf: ({ id }) => id,
            query: (ids: string[]) => sql.type(walletRow)`
                SELECT id, account, created_at, salt, memory_kib, passes, data_key, private_key, profile
                FROM wallet.wallets WHERE id = ANY(${sql.array(ids, 'uuid')})`,
        }),
        list(page, lifetime) {
            const statement = sql.type(listedWallet)`SELECT id, created_at FROM wallet.wallets ${accountPage(page)}`;
            return db.rows(statement, 'wallet_list', lifetime);
        },
        async relock(id, { salt, memory_kib, passes, data_key }, lifetime) {
            const statement = sql.unsafe`
                UPDATE wallet.wallets SET salt = ${sql.binary(salt)}, memory_kib = ${memory_kib}, passes = ${passes},
                                          data_key = ${sql.binary(data_key)}
                WHERE id = ${id}`;
            await db.rows(statement, 'wallet_relock', lifetime);
        },
        put: (entry, once, lifetime) => putEntry(db, entry, once, lifetime),
        async sizeOf({ wallet, credential }, lifetime) {
            const statement = sql.type(sizeRow)`
                SELECT octet_length(sealed) AS size FROM wallet.credentials
                WHERE wallet = ${wallet.id} AND credential = ${credential}`;
            const [row] = await db.rows(statement, 'wallet_entry_size', lifetime);
            return row?.size;
        },
        page: (wallet, range, lifetime) => pageOf(db, wallet, range, lifetime),
        async count(wallet, lifetime) {
            const [row] = await db.rows(
                sql.type(countRow)`SELECT count(*) AS total FROM wallet.credentials WHERE wallet = ${wallet}`,
                'wallet_count',
                lifetime,
            );
            return row?.total ?? 0;
        },
        remove: (name, lifetime) => removeEntry(db, name, lifetime),
        erasure: (forget) => walletErasure(db, forget),
    };
}

async function pageOf(
    db: Database,
    wallet: string,
    { before, limit, bytes }: PageRange,
    lifetime?: CallLifetime,
): Promise<{ rows: readonly EntryRow[]; more: boolean }> {
    const statement = sql.type(pagedRow)`
        SELECT credential, entry, stored_at, sealed, ahead FROM (
            SELECT *, count(*) OVER () AS ahead, row_number() OVER newest_first AS rank,
                   sum(octet_length(sealed)) OVER newest_first - octet_length(sealed) AS bytes_before
            FROM (
                SELECT credential, entry, stored_at, sealed FROM wallet.credentials
                WHERE wallet = ${wallet} AND entry < ${before ?? LAST_ID} ORDER BY entry DESC LIMIT ${limit + 1}
            ) AS next_ones
            WINDOW newest_first AS (ORDER BY entry DESC)
        ) AS measured
        WHERE rank <= ${limit} AND bytes_before < ${bytes} ORDER BY entry DESC`;
    const rows = await db.prepared('wallet_page', statement, lifetime);
    return { rows, more: rows.length < (rows[0]?.ahead ?? 0) };
}
