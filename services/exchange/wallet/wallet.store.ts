import { z } from 'zod';
import type { CallLifetime } from '../../../platform/context.ts';
import { type Database, type Queries, sql } from '../../../platform/postgres/db.ts';
import { type Cause, causeOfWallet } from '../../outbox/cause.ts';
import { appendEvents } from '../../outbox/outbox.store.ts';
import { configurationRow, MAX_TX_FAILURES } from '../rows.ts';

/** An offer that a wallet asks for with the secret of its link. */
const shownRow = z.strictObject({
    configuration: z.string(),
    /** JSON text of TxCodeTerms. */
    tx_code: z.string().nullable(),
});

/** An offer as the token endpoint reads it before it spends the code. */
const redeemableRow = z.strictObject({
    id: z.string(),
    account: z.string(),
    api_key: z.string().nullable(),
    session: z.string().nullable(),
    sealed: z.instanceof(Buffer),
    needs_tx_code: z.boolean(),
});

/** An offer that an access token opens. */
const openedRow = z.strictObject({
    id: z.string(),
    account: z.string(),
    api_key: z.string().nullable(),
    session: z.string().nullable(),
    tier: z.string().nullable(),
    issuer_did: z.string(),
    configuration: z.string(),
    sealed: z.instanceof(Buffer),
    dpop_jkt: z.string().nullable(),
    /** JSON text of a Definition. */
    definition: z.string(),
});
export type OpenedRow = z.infer<typeof openedRow>;

const spentRow = z.strictObject({ code_used_at: z.string().nullable() });

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
}

export interface WalletStore {
    configurations(issuer: string, lifetime: CallLifetime): Promise<ReadonlyArray<z.infer<typeof configurationRow>>>;
    /** An offer that can still be accepted. */
    findShown(
        offer: { issuer: string; secret_hash: Buffer; now: string },
        lifetime: CallLifetime,
    ): Promise<z.infer<typeof shownRow> | undefined>;
    findRedeemable(
        offer: { issuer: string; code_hash: Buffer; now: string },
        lifetime: CallLifetime,
    ): Promise<z.infer<typeof redeemableRow> | undefined>;
    /**
     * Spends the code, if the transaction code is right; otherwise counts the failure. One statement does both, so that
     * many callers at once have no more guesses than one. Resolves to `spent`, `wrong`, or `gone` if nothing is left to spend.
     */
    spend(spending: Spending, lifetime: CallLifetime): Promise<'spent' | 'wrong' | 'gone'>;
    findOpened(
        token: { issuer: string; token_hash: Buffer; now: string },
        lifetime: CallLifetime,
    ): Promise<OpenedRow | undefined>;
    /** Binds an offer to keys, those included to which it is bound already. Resolves to false if these are too many. */
    bind(
        bindings: { offer: string; thumbprints: readonly Buffer[]; max_keys: number },
        lifetime: CallLifetime,
    ): Promise<boolean>;
    /** Frees an offer from a key for which nothing was issued. */
    release(binding: { offer: string; thumbprint: Buffer }, lifetime: CallLifetime): Promise<void>;
    /** Notes which credential was issued for a key. */
    issued(binding: { offer: string; thumbprint: Buffer; credential: string }, lifetime: CallLifetime): Promise<void>;
    /** Notes what a wallet says about its credentials. */
    notify(notified: { offer: string; notification: string }, lifetime: CallLifetime): Promise<void>;
}

export function walletStore(db: Database): WalletStore {
    return {
        ...offerSteps(db),
        bind: (bindings, lifetime) => db.transaction((queries) => bound(queries, bindings), 'offer_bind', lifetime),
        async release({ offer, thumbprint }, lifetime) {
            const statement = sql.unsafe`
                DELETE FROM exchange.bindings
                WHERE offer = ${offer} AND thumbprint = ${sql.binary(thumbprint)} AND credential IS NULL`;
            await db.rows(statement, 'offer_release', lifetime);
        },
        async issued({ offer, thumbprint, credential }, lifetime) {
            // Another call for the same key may have been refused meanwhile, and have released it.
            const statement = sql.unsafe`
                INSERT INTO exchange.bindings (offer, thumbprint, credential)
                SELECT id, ${sql.binary(thumbprint)}, ${credential} FROM exchange.offers WHERE id = ${offer}
                ON CONFLICT (offer, thumbprint) DO UPDATE SET credential = excluded.credential`;
            await db.rows(statement, 'offer_issued', lifetime);
        },
        async notify({ offer, notification }, lifetime) {
            const data = sql.fragment`'offer_id', id, 'notification', notification`;
            const statement = sql.unsafe`
                WITH written AS (
                    UPDATE exchange.offers SET notification = ${notification}
                    WHERE id = ${offer} AND notification IS DISTINCT FROM ${notification}
                    RETURNING account, id, notification
                ) ${appendEvents('exchange', 'offer.notified', { data, causes: causeOfWallet(lifetime) })}`;
            await db.rows(statement, 'offer_notify', lifetime);
        },
    };
}

function offerSteps(
    db: Database,
): Pick<WalletStore, 'configurations' | 'findShown' | 'findRedeemable' | 'spend' | 'findOpened'> {
    return {
        configurations(issuer, lifetime) {
            const statement = sql.type(configurationRow)`
                SELECT issuer, id, definition::text AS definition, created_at FROM exchange.configurations
                WHERE issuer = ${issuer} ORDER BY id`;
            return db.rows(statement, 'issuer_metadata', lifetime);
        },
        async findShown({ issuer, secret_hash, now }, lifetime) {
            const statement = sql.type(shownRow)`
                SELECT configuration, tx_code::text AS tx_code FROM exchange.offers
                WHERE secret_hash = ${sql.binary(secret_hash)} AND issuer = ${issuer} AND expires_at > ${now}`;
            const [row] = await db.rows(statement, 'offer_show', lifetime);
            return row;
        },
        async findRedeemable({ issuer, code_hash, now }, lifetime) {
            const statement = sql.type(redeemableRow)`
                SELECT id, account, api_key, session, sealed, tx_hash IS NOT NULL AS needs_tx_code
                FROM exchange.offers
                WHERE code_hash = ${sql.binary(code_hash)} AND issuer = ${issuer} AND expires_at > ${now}
                    AND code_used_at IS NULL AND tx_failures < ${MAX_TX_FAILURES}`;
            const [row] = await db.rows(statement, 'offer_redeemable', lifetime);
            return row;
        },
        async spend(spending, lifetime) {
            const [row] = await db.rows(spent(spending, causeOfWallet(lifetime)), 'offer_spend', lifetime);
            if (!row) return 'gone';
            return row.code_used_at === null ? 'wrong' : 'spent';
        },
        async findOpened({ issuer, token_hash, now }, lifetime) {
            const statement = sql.type(openedRow)`
                SELECT offers.id, offers.account, api_key, session, tier, issuer_did, configuration, sealed, dpop_jkt,
                    definition::text AS definition
                FROM exchange.offers AS offers
                JOIN exchange.configurations AS configurations
                    ON configurations.issuer = offers.issuer AND configurations.id = offers.configuration
                WHERE token_hash = ${sql.binary(token_hash)} AND offers.issuer = ${issuer} AND token_expires_at > ${now}`;
            const [row] = await db.rows(statement, 'offer_open', lifetime);
            return row;
        },
    };
}

function spent({ id, tx_hash, token_hash, sealed, dpop_jkt, now, token_expires_at }: Spending, cause: Cause) {
    const isRight = sql.fragment`tx_hash IS NOT DISTINCT FROM ${tx_hash ? sql.binary(tx_hash) : null}::bytea`;
    return sql.type(spentRow)`
        WITH tried AS (
            UPDATE exchange.offers SET
                code_used_at = CASE WHEN ${isRight} THEN ${now}::timestamptz END,
                token_hash = CASE WHEN ${isRight} THEN ${sql.binary(token_hash)}::bytea END,
                sealed = CASE WHEN ${isRight} THEN ${sql.binary(sealed)}::bytea ELSE sealed END,
                dpop_jkt = CASE WHEN ${isRight} THEN ${dpop_jkt ?? null} END,
                token_expires_at = CASE WHEN ${isRight} THEN ${token_expires_at}::timestamptz END,
                tx_failures = tx_failures + CASE WHEN ${isRight} THEN 0 ELSE 1 END
            WHERE id = ${id} AND code_used_at IS NULL AND tx_failures < ${MAX_TX_FAILURES} AND expires_at > ${now}
            RETURNING account, id, code_used_at
        ), written AS (
            SELECT account, id FROM tried WHERE code_used_at IS NOT NULL
        ), published AS (
            ${appendEvents('exchange', 'offer.redeemed', { data: sql.fragment`'offer_id', id`, causes: cause })}
        )
        SELECT code_used_at FROM tried`;
}

const fitsRow = z.strictObject({ fits: z.boolean() });

async function bound(
    { rows }: Queries,
    { offer, thumbprints, max_keys }: { offer: string; thumbprints: readonly Buffer[]; max_keys: number },
): Promise<boolean> {
    // The row of the offer is locked first, so that calls at the same time bind one after the other.
    const locked = await rows(sql.unsafe`SELECT id FROM exchange.offers WHERE id = ${offer} FOR UPDATE`);
    if (locked.length === 0) return false; // its account has deleted it
    const asked = sql.unnest(
        thumbprints.map((thumbprint) => [thumbprint]),
        ['bytea'],
    );
    const [row] = await rows(sql.type(fitsRow)`
        WITH asked AS (
            SELECT thumbprint FROM ${asked} AS asked (thumbprint)
        ), together AS (
            SELECT thumbprint FROM asked UNION SELECT thumbprint FROM exchange.bindings WHERE offer = ${offer}
        ), fits AS (
            SELECT count(*) <= ${max_keys} AS fits FROM together
        ), added AS (
            INSERT INTO exchange.bindings (offer, thumbprint)
            SELECT ${offer}::uuid, thumbprint FROM asked, fits WHERE fits ON CONFLICT (offer, thumbprint) DO NOTHING
        )
        SELECT fits FROM fits`);
    return row?.fits ?? false;
}
