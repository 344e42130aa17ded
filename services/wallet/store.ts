import type { Coalescer } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import type { NewClaim } from '../idempotency/claims.store.ts';
import { appendPendingCounts } from '../pending-counts.store.ts';
import { insertWallet, putEntry, type SealedClaim } from './insert.store.ts';
import type { EntryName, EntryRow, LockedKey, NewEntry, WalletRow } from './rows.ts';
import { type Check, checked, type Stored, storedBy } from './stored.store.ts';

interface PageRange {
    before: string | undefined;
    limit: number;
    bytes: number;
}

export interface WalletStore {
    /** Returns what the account stores. */
    stored(account: string, lifetime?: CallLifetime): Promise<Stored>;
    /**
     * Inserts the wallet unless `check` throws for what its account then stores. Claims an Idempotency-Key for it if there
     * is one. `held`: nothing was written, because an earlier call holds the claim.
     */
    insert(
        wallet: WalletRow,
        conditions: { check: Check; claim?: NewClaim | undefined },
        lifetime?: CallLifetime,
    ): Promise<'written' | 'held'>;
    find: Coalescer<string, WalletRow | undefined>;
    /** Replaces the sealed data key and its parameters. */
    relock(id: string, locked: LockedKey, lifetime?: CallLifetime): Promise<void>;
    /**
     * Inserts the entry or, if its credential is stored already, replaces the sealed record. Resolves to the time at
     * which the credential was first stored. Writes nothing and resolves to undefined if the stored credential has
     * another issuer. Writes nothing if `check` throws for what the account then stores. Claims an Idempotency-Key if
     * there is one; resolves to `held`, and writes nothing, if an earlier call holds the claim.
     */
    put(
        entry: NewEntry,
        conditions: { check: Check; once?: SealedClaim | undefined },
        lifetime?: CallLifetime,
    ): Promise<string | 'held' | undefined>;
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
}

/** Greater than the id of any entry. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function walletStore(db: Database): WalletStore {
    return {
        stored: (account, lifetime) => storedBy(account, (query) => db.rows(query, 'wallet_stored', lifetime)),
        insert: (wallet, { check, claim }, lifetime) =>
            checked(db, { account: wallet.account, check, name: 'wallet_insert', lifetime }, (queries) =>
                insertWallet(queries, wallet, claim),
            ),
        find: rowLookup<string, WalletRow>(db, {
            name: 'wallet_find',
            statement: 'wallets_find',
            keyOf: ({ id }) => id,
            query: (ids) => sql.unsafe`
                SELECT id, account, created_at, salt, memory_kib, passes, data_key, private_key, profile
                FROM wallet.wallets WHERE id = ANY(${sql.array(ids, 'uuid')})`,
        }),
        async relock(id, { salt, memory_kib, passes, data_key }, lifetime) {
            const statement = sql.unsafe`
                UPDATE wallet.wallets SET salt = ${sql.binary(salt)}, memory_kib = ${memory_kib}, passes = ${passes},
                                          data_key = ${sql.binary(data_key)}
                WHERE id = ${id}`;
            await db.rows(statement, 'wallet_relock', lifetime);
        },
        put: (entry, { check, once }, lifetime) =>
            checked(db, { account: entry.wallet.account, check, name: 'wallet_entry_put', lifetime }, (queries) =>
                putEntry(queries, entry, once),
            ),
        page: (wallet, range, lifetime) => pageOf(db, wallet, range, lifetime),
        async count(wallet, lifetime) {
            const [row] = await db.rows<{ total: number }>(
                sql.unsafe`SELECT count(*) AS total FROM wallet.credentials WHERE wallet = ${wallet}`,
                'wallet_count',
                lifetime,
            );
            return row?.total ?? 0;
        },
        async remove({ wallet, credential }, lifetime) {
            const statement = sql.unsafe`
                WITH removed AS (
                    DELETE FROM wallet.credentials WHERE wallet = ${wallet.id} AND credential = ${credential}
                    RETURNING credential
                ), written AS (
                    SELECT ${wallet.account}::uuid AS account FROM removed
                ), counted AS (${appendPendingCounts('wallet_credentials', -1)})
                SELECT credential FROM removed`;
            const removed = await db.rows(statement, 'wallet_entry_remove', lifetime);
            return removed.length > 0;
        },
    };
}

async function pageOf(
    db: Database,
    wallet: string,
    { before, limit, bytes }: PageRange,
    lifetime?: CallLifetime,
): Promise<{ rows: readonly EntryRow[]; more: boolean }> {
    const statement = sql.unsafe`
        SELECT credential, entry, stored_at, sealed, ahead FROM (
            SELECT *, count(*) OVER () AS ahead, row_number() OVER newest_first AS place,
                   sum(octet_length(sealed)) OVER newest_first - octet_length(sealed) AS bytes_before
            FROM (
                SELECT credential, entry, stored_at, sealed FROM wallet.credentials
                WHERE wallet = ${wallet} AND entry < ${before ?? LAST_ID} ORDER BY entry DESC LIMIT ${limit + 1}
            ) AS next_ones
            WINDOW newest_first AS (ORDER BY entry DESC)
        ) AS measured
        WHERE place <= ${limit} AND bytes_before < ${bytes} ORDER BY entry DESC`;
    const rows = await db.prepared<EntryRow & { ahead: number }>('wallet_page', statement, lifetime);
    return { rows, more: rows.length < (rows[0]?.ahead ?? 0) };
}
