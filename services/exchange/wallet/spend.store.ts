import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { type Cause, causeOfWallet } from '../../outbox/cause.ts';
import { appendEvents } from '../../outbox/outbox.store.ts';
import { MAX_TX_FAILURES } from '../rows.ts';

/** How a code is spent. */
export interface Spending {
    id: string;
    /** Of the transaction code that was sent. */
    tx_hash: Buffer | undefined;
    token_hash: Buffer;
    /** The claims, sealed under the access token. */
    sealed: Buffer;
    dpop_jkt: string | undefined;
    now: string;
    token_expires_at: string;
    request_id: string | undefined;
}

/** `gone`: nothing is left to spend. */
export type SpendOutcome = 'spent' | 'wrong' | 'gone';

const triedRow = z.strictObject({ id: z.string(), code_used_at: z.string().nullable() });

/** Spends the codes of different offers, or counts a wrong transaction code. */
export async function spendGroup(db: Database, spendings: readonly Spending[]): Promise<SpendOutcome[]> {
    // In one order, so that groups of two processes do not deadlock.
    const inOrder = [...spendings].sort((one, other) => (one.id < other.id ? -1 : 1));
    const tried = await db.prepared('offers_spend', spent(inOrder));
    const usedAt = new Map(tried.map(({ id, code_used_at }) => [id, code_used_at]));
    return spendings.map(({ id }) => {
        const at = usedAt.get(id);
        if (at === undefined) return 'gone';
        return at === null ? 'wrong' : 'spent';
    });
}

function spent(spendings: readonly Spending[]) {
    const tuples = spendings.map(({ id, tx_hash, token_hash, sealed, dpop_jkt, now, token_expires_at }) => [
        ...[id, tx_hash ?? null, token_hash, sealed, dpop_jkt ?? null, now, token_expires_at],
    ]);
    const types = ['uuid', 'bytea', 'bytea', 'bytea', 'text', 'timestamptz', 'timestamptz'];
    const causes = Object.fromEntries(
        spendings.map(({ id, request_id }): [string, Cause] => [id, causeOfWallet(request_id)]),
    );
    const isRight = sql.fragment`row.tx_hash IS NOT DISTINCT FROM asked.tx_hash`;
    return sql.type(triedRow)`
        WITH tried AS (
            UPDATE exchange.offers AS row SET
                code_used_at = CASE WHEN ${isRight} THEN asked.now END,
                token_hash = CASE WHEN ${isRight} THEN asked.token_hash END,
                sealed = CASE WHEN ${isRight} THEN asked.sealed ELSE row.sealed END,
                dpop_jkt = CASE WHEN ${isRight} THEN asked.dpop_jkt END,
                token_expires_at = CASE WHEN ${isRight} THEN asked.token_expires_at END,
                tx_failures = row.tx_failures + CASE WHEN ${isRight} THEN 0 ELSE 1 END
            FROM ${sql.unnest(tuples, types)}
                AS asked (id, tx_hash, token_hash, sealed, dpop_jkt, now, token_expires_at)
            WHERE row.id = asked.id AND row.code_used_at IS NULL AND row.tx_failures < ${MAX_TX_FAILURES}
                AND row.expires_at > asked.now
            RETURNING row.account, row.id, row.code_used_at
        ), written AS (
            SELECT account, id FROM tried WHERE code_used_at IS NOT NULL
        ), published AS (
            ${appendEvents('exchange', 'offer.redeemed', { data: sql.fragment`'offer_id', id`, causes })}
        )
        SELECT id, code_used_at FROM tried`;
}
