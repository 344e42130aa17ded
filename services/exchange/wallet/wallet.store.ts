import { z } from 'zod';
import { coalesce } from '../../../platform/batch.ts';
import { CallerPlaces } from '../../../platform/bounded-queue.ts';
import type { CallLifetime } from '../../../platform/context.ts';
import { type Database, isDeadlock, STORE_GROUPS, sql } from '../../../platform/postgres/db.ts';
import { rowLookup } from '../../../platform/postgres/row-lookup.ts';
import { causeOfWallet } from '../../outbox/cause.ts';
import { appendEvents } from '../../outbox/outbox.store.ts';
import { configurationRow, MAX_TX_FAILURES } from '../rows.ts';
import { type Binding, bindGroup, type Issued, noteGroup } from './bind.store.ts';
import { type Spending, type SpendOutcome, spendGroup } from './spend.store.ts';

/** What is read of every offer that a secret of it finds. */
const foundRow = z.strictObject({
    /** Of the secret by which it was found. */
    hash: z.instanceof(Buffer),
    issuer: z.string(),
    /** Until when this secret can be used. */
    expires_at: z.string(),
});

const offeringRow = z.strictObject({ issuer: z.string() });

/** An offer that a wallet asks for with the secret of its link. */
const linkOfferRow = foundRow.extend({
    account: z.string(),
    api_key: z.string().nullable(),
    configuration: z.string(),
    /** JSON text of TxCodeTerms. */
    tx_code: z.string().nullable(),
});

/** An offer as the token endpoint reads it before it spends the code. */
const codeOfferRow = foundRow.extend({
    id: z.string(),
    account: z.string(),
    api_key: z.string().nullable(),
    session: z.string().nullable(),
    sealed: z.instanceof(Buffer),
    needs_tx_code: z.boolean(),
    is_spent: z.boolean(),
});

/** An offer that an access token opens. */
const tokenOfferRow = foundRow.extend({
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
export type TokenOfferRow = z.infer<typeof tokenOfferRow>;

/** What a wallet presents to an issuer: the hash of a link's secret, of a code, or of an access token. */
interface Presented {
    issuer: string;
    hash: Buffer;
    /** ISO 8601. */
    now: string;
}

/**
 * Wallets come in large numbers at once, so what they ask is gathered: one statement serves many of them.
 */
export interface WalletStore {
    configurations(issuer: string, lifetime: CallLifetime): Promise<ReadonlyArray<z.infer<typeof configurationRow>>>;
    /** True if the issuer has a configuration. */
    offersAnything(issuer: string, lifetime: CallLifetime): Promise<boolean>;
    /** An offer that can still be accepted. */
    findByLink(link: Presented, lifetime: CallLifetime): Promise<z.infer<typeof linkOfferRow> | undefined>;
    findByCode(code: Presented, lifetime: CallLifetime): Promise<z.infer<typeof codeOfferRow> | undefined>;
    /**
     * Spends the code, if the transaction code is right; otherwise counts the failure. One statement does both, so that
     * many callers at once have no more guesses than one.
     */
    spend(spending: Omit<Spending, 'request_id'>, lifetime: CallLifetime): Promise<SpendOutcome>;
    findByToken(token: Presented, lifetime: CallLifetime): Promise<TokenOfferRow | undefined>;
    /**
     * Binds an offer to keys, those included to which it is bound already. Resolves to the thumbprints of the new ones, or to
     * undefined if these are too many.
     */
    bind(binding: Binding, lifetime: CallLifetime): Promise<ReadonlySet<string> | undefined>;
    /** Frees an offer from a key to which this call has bound it, and for which nothing was issued. */
    release(binding: Omit<Issued, 'credential'> & Pick<Binding, 'call'>, lifetime: CallLifetime): Promise<void>;
    /** Notes which credential was issued for a key. */
    issued(issued: Issued, lifetime: CallLifetime): Promise<void>;
    /** Notes what a wallet says about its credentials. */
    notify(notified: { offer: string; notification: string }, lifetime: CallLifetime): Promise<void>;
}

/**
 * Maximum number of calls for one offer that wait for each other. A call takes a few milliseconds. Beyond it:
 * `unavailable`.
 */
const MAX_WAITING = 1_024;

export function walletStore(db: Database): WalletStore {
    return { ...offerLookups(db), ...offerChanges(db), ...notes(db) };
}

function offerLookups(db: Database): Pick<WalletStore, 'findByLink' | 'findByCode' | 'findByToken'> {
    const byLink = byHash(
        db,
        'offers_shown',
        (hashes) => sql.type(linkOfferRow)`
        SELECT secret_hash AS hash, issuer, expires_at, account, api_key, configuration, tx_code::text AS tx_code
        FROM exchange.offers WHERE secret_hash = ANY(${hashes})`,
    );
    const byCode = byHash(
        db,
        'offers_redeemable',
        (hashes) => sql.type(codeOfferRow)`
        SELECT code_hash AS hash, issuer, expires_at, id, account, api_key, session, sealed,
            tx_hash IS NOT NULL AS needs_tx_code,
            code_used_at IS NOT NULL OR tx_failures >= ${MAX_TX_FAILURES} AS is_spent
        FROM exchange.offers WHERE code_hash = ANY(${hashes})`,
    );
    const byToken = byHash(
        db,
        'offers_opened',
        (hashes) => sql.type(tokenOfferRow)`
        SELECT token_hash AS hash, offers.issuer, token_expires_at AS expires_at, offers.id, offers.account, api_key,
            session, tier, issuer_did, configuration, sealed, dpop_jkt, definition::text AS definition
        FROM exchange.offers AS offers
        JOIN exchange.configurations AS configurations
            ON configurations.issuer = offers.issuer AND configurations.id = offers.configuration
        WHERE token_hash = ANY(${hashes})`,
    );
    return {
        findByLink: byLink,
        async findByCode(code, lifetime) {
            const row = await byCode(code, lifetime);
            return row?.is_spent ? undefined : row;
        },
        findByToken: byToken,
    };
}

type Hashes = ReturnType<typeof sql.array>;

/** Returns a function that finds an offer of an issuer by the hash of a secret that can still be used. */
function byHash<Row extends z.infer<typeof foundRow>>(
    db: Database,
    name: string,
    query: (hashes: Hashes) => ReturnType<ReturnType<typeof sql.type<z.ZodType<Row>>>>,
) {
    const find = rowLookup<Buffer, Row>(db, {
        name,
        statement: name,
        maxInFlight: 1,
        keyOf: ({ hash }) => hash,
        textOf: (hash) => hash.toString('hex'),
        query: (hashes) => query(sql.array(hashes, 'bytea')),
    });
    return async ({ issuer, hash, now }: Presented, lifetime: CallLifetime): Promise<Row | undefined> => {
        const row = await find(hash, lifetime);
        return row?.issuer === issuer && row.expires_at > now ? row : undefined;
    };
}

function offerChanges(db: Database): Pick<WalletStore, 'spend' | 'bind' | 'issued'> {
    // One statement of a kind at a time, so that more calls share each of them.
    const options = { ...STORE_GROUPS, maxInFlight: 1, bisectOn: isDeadlock };
    const spend = coalesce({ ...options, name: 'offers_spend', run: (group: Spending[]) => spendGroup(db, group) });
    const bind = coalesce({ ...options, name: 'offers_bind', run: (group: Binding[]) => bindGroup(db, group) });
    // One call for each offer at a time, because a statement must not have an offer twice.
    const turns = new CallerPlaces({ places: 1, name: 'offers', maxWaiting: MAX_WAITING });
    return {
        spend: (spending, lifetime) => {
            const own = { ...spending, request_id: lifetime.request_id };
            return turns.run(spending.id, () => spend(own, lifetime), lifetime);
        },
        bind: (binding, lifetime) => turns.run(binding.offer, () => bind(binding, lifetime), lifetime),
        issued: coalesce({ ...options, name: 'offers_issued', run: (group: Issued[]) => noteGroup(db, group) }),
    };
}

function notes(db: Database): Pick<WalletStore, 'configurations' | 'offersAnything' | 'release' | 'notify'> {
    const offering = rowLookup<string, z.infer<typeof offeringRow>>(db, {
        name: 'issuers_offering',
        statement: 'issuers_offering',
        maxInFlight: 1,
        keyOf: ({ issuer }) => issuer,
        query: (issuers) => sql.type(offeringRow)`
            SELECT DISTINCT issuer FROM exchange.configurations WHERE issuer = ANY(${sql.array(issuers, 'uuid')})`,
    });
    return {
        offersAnything: async (issuer, lifetime) => (await offering(issuer, lifetime)) !== undefined,
        configurations(issuer, lifetime) {
            const statement = sql.type(configurationRow)`
                SELECT issuer, id, definition::text AS definition, created_at FROM exchange.configurations
                WHERE issuer = ${issuer} ORDER BY id`;
            return db.rows(statement, 'issuer_metadata', lifetime);
        },
        async release({ offer, thumbprint, call }, lifetime) {
            const statement = sql.unsafe`
                UPDATE exchange.offers SET bindings = bindings - ${thumbprint}::text
                WHERE id = ${offer} AND bindings ->> ${thumbprint}::text = ${call}`;
            await db.rows(statement, 'offer_release', lifetime);
        },
        async notify({ offer, notification }, lifetime) {
            const data = sql.fragment`'offer_id', id, 'notification', notification`;
            const causes = causeOfWallet(lifetime.request_id);
            const statement = sql.unsafe`
                WITH written AS (
                    UPDATE exchange.offers SET notification = ${notification}
                    WHERE id = ${offer} AND notification IS DISTINCT FROM ${notification}
                    RETURNING account, id, notification
                ) ${appendEvents('exchange', 'offer.notified', { data, causes })}`;
            await db.rows(statement, 'offer_notify', lifetime);
        },
    };
}
