import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { appendPendingCounts } from '../counts/pending.store.ts';
import { claimedAlone, type NewClaim, releaseClaims, sealClaim } from '../idempotency/claims.store.ts';
import { causeOf } from '../outbox/cause.ts';
import { appendEvents } from '../outbox/outbox.store.ts';
import type { EntryName, NewEntry, WalletRow } from './rows.ts';

/** A claim whose answer is sealed when it is known. `storedAt`: when the credential was first stored. */
export interface SealedClaim {
    claim: NewClaim;
    seal(storedAt: string): Buffer;
}

/** Inserts a wallet, with its claim if there is one. See WalletStore.insert. */
export async function insertWallet(
    db: Database,
    wallet: WalletRow,
    claim: NewClaim | undefined,
    lifetime?: CallLifetime,
): Promise<'written' | 'held'> {
    const cause = causeOf(lifetime, wallet.account);
    const statement = sql.unsafe`
        WITH ${claiming(claim)} written AS (
            INSERT INTO wallet.wallets (id, account, created_at, salt, memory_kib, passes, data_key, private_key, profile)
            SELECT ${wallet.id}::uuid, ${wallet.account}::uuid, ${wallet.created_at}::timestamptz,
                   ${sql.binary(wallet.salt)}::bytea, ${wallet.memory_kib}::integer, ${wallet.passes}::integer,
                   ${sql.binary(wallet.data_key)}::bytea, ${sql.binary(wallet.private_key)}::bytea,
                   ${sql.binary(wallet.profile)}::bytea
            ${ifClaimed(claim)}
            RETURNING account, id
        ), counted AS (${appendPendingCounts('wallets')}
        ), published AS (${appendEvents('wallet', 'wallet.created', { data: sql.fragment`'wallet_id', id`, causes: cause })})
        SELECT account FROM written`;
    return (await db.rows(statement, 'wallet_insert', lifetime)).length === 0 ? 'held' : 'written';
}

/** Inserts or replaces an entry, with its claim if there is one. See WalletStore.put. */
export function putEntry(
    db: Database,
    entry: NewEntry,
    once: SealedClaim | undefined,
    lifetime?: CallLifetime,
): Promise<string | 'held' | undefined> {
    return inWallet(db, entry, { name: 'wallet_entry_put', lifetime }, (queries) => putIn(queries, entry, once));
}

/** Removes an entry. See WalletStore.remove. */
export function removeEntry(db: Database, name: EntryName, lifetime?: CallLifetime): Promise<boolean> {
    return inWallet(db, name, { name: 'wallet_entry_remove', lifetime }, async ({ rows }) => {
        const removed = await rows(sql.unsafe`
            WITH removed AS (
                DELETE FROM wallet.credentials WHERE wallet = ${name.wallet.id} AND credential = ${name.credential}
                RETURNING octet_length(sealed) AS size
            ), written AS (
                SELECT ${name.wallet.account}::uuid AS account, size FROM removed
            ), counted AS (
                ${appendPendingCounts('wallet_credentials', { amount: sql.fragment`-count(*)` })}
            ), measured AS (
                ${appendPendingCounts('wallet_bytes', { amount: sql.fragment`-sum(size)` })}
            )
            SELECT size FROM removed`);
        return removed.length > 0;
    });
}

/** Changes the entries of a wallet in a transaction. Changes of one wallet wait for each other, so each sees the last. */
function inWallet<Result>(
    db: Database,
    { wallet }: EntryName,
    { name, lifetime }: { name: string; lifetime: CallLifetime | undefined },
    work: (queries: Queries) => Promise<Result>,
): Promise<Result> {
    const locked = async (queries: Queries): Promise<Result> => {
        await queries.rows(sql.unsafe`SELECT FROM wallet.wallets WHERE id = ${wallet.id} FOR NO KEY UPDATE`);
        return work(queries);
    };
    return db.transaction(locked, name, lifetime);
}

async function putIn(
    queries: Queries,
    entry: NewEntry,
    once: SealedClaim | undefined,
): Promise<string | 'held' | undefined> {
    const [row] = await queries.rows(putting(entry, once?.claim));
    const storedAt = row?.stored_at ?? undefined;
    if (!once) return storedAt;
    if (row?.claims === 0) return 'held';
    await queries.rows(
        storedAt === undefined
            ? releaseClaims('wallet', [once.claim])
            : sealClaim('wallet', once.claim, once.seal(storedAt)),
    );
    return storedAt;
}

const putRow = z.strictObject({ stored_at: z.string().nullable(), claims: z.number() });

function putting({ wallet, credential, entry, stored_at, issuer_tag, sealed }: NewEntry, claim: NewClaim | undefined) {
    const claims = claim ? sql.fragment`(SELECT count(*) FROM claimed)` : sql.fragment`0`;
    return sql.type(putRow)`
        WITH ${claiming(claim)} replaced AS MATERIALIZED ( -- or a Citus reads it after the insertion
            SELECT octet_length(sealed) AS size FROM wallet.credentials
            WHERE wallet = ${wallet.id}::uuid AND credential = ${credential}::uuid
        ), put AS (
            INSERT INTO wallet.credentials AS stored (wallet, credential, entry, stored_at, issuer_tag, sealed)
            SELECT ${wallet.id}::uuid, ${credential}::uuid, ${entry}::uuid, ${stored_at}::timestamptz,
                   ${sql.binary(issuer_tag)}::bytea, ${sql.binary(sealed)}::bytea
            ${ifClaimed(claim)}
            ON CONFLICT (wallet, credential) DO UPDATE SET sealed = excluded.sealed
            WHERE stored.issuer_tag = excluded.issuer_tag
            RETURNING entry, stored_at, octet_length(sealed) AS size
        ), written AS (
            SELECT ${wallet.account}::uuid AS account, entry = ${entry} AS is_new,
                   size - coalesce((SELECT size FROM replaced), 0) AS growth FROM put
        ), counted AS (
            ${appendPendingCounts('wallet_credentials', { amount: sql.fragment`count(*) FILTER (WHERE is_new)` })}
        ), measured AS (
            ${appendPendingCounts('wallet_bytes', { amount: sql.fragment`sum(growth)` })}
        )
        SELECT (SELECT stored_at FROM put) AS stored_at, ${claims} AS claims`;
}

function claiming(claim: NewClaim | undefined) {
    return claim ? sql.fragment`${claimedAlone('wallet', claim)},` : sql.fragment``;
}

/** The source of a row that is written only if its claim was made. */
function ifClaimed(claim: NewClaim | undefined) {
    return claim ? sql.fragment`FROM claimed` : sql.fragment`WHERE true`;
}
