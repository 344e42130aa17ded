import { type Queries, sql } from '../../platform/postgres/db.ts';
import { claimedAlone, type NewClaim, releaseClaims, sealClaim } from '../idempotency/claims.store.ts';
import { appendPendingCounts } from '../pending-counts.store.ts';
import type { NewEntry, WalletRow } from './rows.ts';

/** A claim whose answer is sealed when it is known. `storedAt`: when the credential was first stored. */
export interface SealedClaim {
    claim: NewClaim;
    seal(storedAt: string): Buffer;
}

/** Inserts a wallet, with its claim if there is one. */
export async function insertWallet(
    { rows }: Queries,
    wallet: WalletRow,
    claim: NewClaim | undefined,
): Promise<'written' | 'held'> {
    const statement = sql.unsafe`
        WITH ${claiming(claim)} written AS (
            INSERT INTO wallet.wallets (id, account, created_at, salt, memory_kib, passes, data_key, private_key, profile)
            SELECT ${wallet.id}::uuid, ${wallet.account}::uuid, ${wallet.created_at}::timestamptz,
                   ${sql.binary(wallet.salt)}::bytea, ${wallet.memory_kib}::integer, ${wallet.passes}::integer,
                   ${sql.binary(wallet.data_key)}::bytea, ${sql.binary(wallet.private_key)}::bytea,
                   ${sql.binary(wallet.profile)}::bytea
            ${ifClaimed(claim)}
            RETURNING account
        ), counted AS (${appendPendingCounts('wallets')})
        SELECT account FROM written`;
    return (await rows(statement)).length === 0 ? 'held' : 'written';
}

/** Inserts or replaces an entry, with its claim if there is one. See WalletStore.put. */
export async function putEntry(
    queries: Queries,
    entry: NewEntry,
    once: SealedClaim | undefined,
): Promise<string | 'held' | undefined> {
    const [row] = await queries.rows<{ stored_at: string | null; claims: number }>(putting(entry, once?.claim));
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

function putting({ wallet, credential, entry, stored_at, issuer_tag, sealed }: NewEntry, claim: NewClaim | undefined) {
    const claims = claim ? sql.fragment`(SELECT count(*) FROM claimed)` : sql.fragment`0`;
    return sql.unsafe`
        WITH ${claiming(claim)} put AS (
            INSERT INTO wallet.credentials AS stored (wallet, credential, entry, stored_at, issuer_tag, sealed)
            SELECT ${wallet.id}::uuid, ${credential}::uuid, ${entry}::uuid, ${stored_at}::timestamptz,
                   ${sql.binary(issuer_tag)}::bytea, ${sql.binary(sealed)}::bytea
            ${ifClaimed(claim)}
            ON CONFLICT (wallet, credential) DO UPDATE SET sealed = excluded.sealed
            WHERE stored.issuer_tag = excluded.issuer_tag
            RETURNING entry, stored_at
        ), written AS (
            SELECT ${wallet.account}::uuid AS account FROM put WHERE entry = ${entry} -- not a replaced one
        ), counted AS (${appendPendingCounts('wallet_credentials')})
        SELECT (SELECT stored_at FROM put) AS stored_at, ${claims} AS claims`;
}

function claiming(claim: NewClaim | undefined) {
    return claim ? sql.fragment`${claimedAlone('wallet', claim)},` : sql.fragment``;
}

/** The source of a row that is written only if its claim was made. */
function ifClaimed(claim: NewClaim | undefined) {
    return claim ? sql.fragment`FROM claimed` : sql.fragment`WHERE true`;
}
