import { z } from 'zod';
import type { CallContext } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { ERASED_ROWS, erasedCount, leftNone } from '../../platform/postgres/prune.ts';
import { countErasure } from '../counts/erase.store.ts';
import { appendPendingCounts } from '../counts/pending.store.ts';
import type { ErasureStep } from '../erasure.ts';
import { claimErasure } from '../idempotency/erase.store.ts';

/** Number of wallets that one transaction of an erasure removes. Beyond it: the next one removes the rest. */
const ERASED_WALLETS = 100;

const idRow = z.strictObject({ id: z.string() });
const lockedRow = idRow.extend({ is_filled: z.boolean() });

/**
 * The steps that erase an account. `forget` removes what is known about those who have tried the passwords of these
 * wallets. What is removed counts no more for the platform.
 */
export function walletErasure(
    db: Database,
    forget: (wallets: readonly string[]) => Promise<void>,
): readonly ErasureStep[] {
    return [
        async (account, context) => {
            const wallets = await oldestOf(db, account, context);
            await forget(wallets); // before they are gone: this may have to be repeated
            return db.transaction((transaction) => eraseWallets(transaction, wallets), 'wallet_erase', context);
        },
        claimErasure('wallet', db),
        async (account) => {
            await db.rows(sql.unsafe`DELETE FROM wallet.accounts WHERE account = ${account}`);
            return true;
        },
        ...countErasure('wallet', db),
    ];
}

async function oldestOf(db: Database, account: string, context: CallContext): Promise<string[]> {
    const statement = sql.type(idRow)`
        SELECT id FROM wallet.wallets WHERE account = ${account} ORDER BY id LIMIT ${ERASED_WALLETS}`;
    return (await db.rows(statement, 'wallet_erased', context)).map(({ id }) => id);
}

/** Removes these wallets with their entries. Resolves to false if it has to be repeated, because there is more. */
async function eraseWallets({ rows }: Queries, wallets: readonly string[]): Promise<boolean> {
    const ids = sql.array([...wallets], 'uuid');
    // All of them, in one order, so that two runs do not deadlock.
    const locked = await rows(sql.type(lockedRow)`
        SELECT id, EXISTS (SELECT FROM wallet.credentials WHERE wallet = own.id) AS is_filled
        FROM wallet.wallets AS own WHERE id = ANY(${ids}) ORDER BY id FOR UPDATE`);
    for (const { id, is_filled } of locked) if (is_filled && !leftNone(await rows(eraseEntries(id)))) return false;
    await rows(sql.unsafe`
        WITH written AS (
            DELETE FROM wallet.wallets WHERE id = ANY(${ids}) RETURNING NULL::uuid AS account
        )
        ${appendPendingCounts('wallets', { amount: sql.fragment`-count(*)` })}`);
    return wallets.length < ERASED_WALLETS;
}

function eraseEntries(wallet: string) {
    const own = sql.fragment`wallet = ${wallet}`;
    return sql.type(erasedCount)`
        WITH erased AS (
            DELETE FROM wallet.credentials WHERE ${own} AND entry = ANY(ARRAY(
                SELECT entry FROM wallet.credentials WHERE ${own} ORDER BY entry LIMIT ${ERASED_ROWS}))
            RETURNING octet_length(sealed) AS size
        ), written AS (
            SELECT NULL::uuid AS account, size FROM erased
        ), counted AS (
            ${appendPendingCounts('wallet_credentials', { amount: sql.fragment`-count(*)` })}
        ), measured AS (
            ${appendPendingCounts('wallet_bytes', { amount: sql.fragment`-sum(size)` })}
        )
        SELECT count(*) AS erased FROM erased`;
}
