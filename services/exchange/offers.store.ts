import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { type AccountPage, accountPage } from '../account-pages.store.ts';
import { type NewClaim, type Outcome, writeClaimed } from '../idempotency/claims.store.ts';
import { type OfferRow, type OwnOffer, offerRow } from './rows.ts';

const OFFER = sql.fragment`id, issuer, configuration, created_at, expires_at, code_used_at, token_expires_at, tx_failures,
    notification,
    ARRAY(SELECT value FROM jsonb_each_text(bindings) WHERE value LIKE 'urn:%' ORDER BY value) AS credentials`;

const countRow = z.strictObject({ offers: z.number() });

export interface NewOffer {
    offer: Pick<OfferRow, 'id' | 'issuer' | 'configuration' | 'created_at' | 'expires_at'> & {
        account: string;
        api_key: string | undefined;
        session: string | undefined;
        tier: string | undefined;
        issuer_did: string;
        secret_hash: Buffer;
        code_hash: Buffer;
        sealed: Buffer;
        subject_hash: Buffer | undefined;
        /** JSON text of what the wallet tells its holder about the transaction code. */
        tx_code: string | undefined;
        tx_hash: Buffer | undefined;
    };
    quota: number;
    claim: NewClaim | undefined;
}

export interface OffersStore {
    /** Resolves to `refused` if the quota is used up, or if the configuration is gone. */
    insert(created: NewOffer, lifetime: CallLifetime): Promise<Outcome>;
    list(page: AccountPage, lifetime: CallLifetime): Promise<readonly OfferRow[]>;
    count(account: string, lifetime: CallLifetime): Promise<number>;
    find(own: OwnOffer, lifetime: CallLifetime): Promise<OfferRow | undefined>;
    /** Resolves to false if there is no such offer. */
    remove(own: OwnOffer, lifetime: CallLifetime): Promise<boolean>;
}

export function offersStore(db: Database): OffersStore {
    return {
        insert: (created, lifetime) => inserted(db, created, lifetime),
        list(page, lifetime) {
            const statement = sql.type(offerRow)`SELECT ${OFFER} FROM exchange.offers ${accountPage(page)}`;
            return db.rows(statement, 'offer_list', lifetime);
        },
        async count(account, lifetime) {
            const statement = sql.type(countRow)`SELECT offers FROM exchange.accounts WHERE account = ${account}`;
            const [row] = await db.rows(statement, 'offer_count', lifetime);
            return row?.offers ?? 0;
        },
        async find({ account, id }, lifetime) {
            const statement = sql.type(offerRow)`
                SELECT ${OFFER} FROM exchange.offers WHERE id = ${id} AND account = ${account}`;
            const [row] = await db.rows(statement, 'offer_find', lifetime);
            return row;
        },
        remove: (own, lifetime) => db.transaction((queries) => removed(queries, own), 'offer_delete', lifetime),
    };
}

function inserted(db: Database, { offer, quota, claim }: NewOffer, lifetime: CallLifetime): Promise<Outcome> {
    const { account, issuer, configuration } = offer;
    const write = async ({ rows }: Queries) => {
        // Nobody deletes the configuration before this transaction ends, so a deletion also ends this offer.
        const counted = await rows(sql.unsafe`
            INSERT INTO exchange.accounts AS accounts (account, offers)
            SELECT account, 1 FROM exchange.configurations
            WHERE issuer = ${issuer} AND id = ${configuration} AND account = ${account} FOR KEY SHARE
            ON CONFLICT (account) DO UPDATE SET offers = accounts.offers + 1 WHERE accounts.offers < ${quota}
            RETURNING 1`);
        if (counted.length === 0) return false;
        await rows(insertion(offer));
        return true;
    };
    return writeClaimed(db, { owner: 'exchange', claim, name: 'offer_insert' }, write, lifetime);
}

function insertion(offer: NewOffer['offer']) {
    const { secret_hash, code_hash, sealed, subject_hash, tx_hash } = offer;
    return sql.unsafe`
        INSERT INTO exchange.offers (id, account, api_key, session, tier, issuer, issuer_did, configuration, secret_hash, code_hash,
            sealed, subject_hash, tx_code, tx_hash, created_at, expires_at)
        VALUES (${offer.id}, ${offer.account}, ${offer.api_key ?? null}, ${offer.session ?? null}, ${offer.tier ?? null},
            ${offer.issuer}, ${offer.issuer_did}, ${offer.configuration},
            ${sql.binary(secret_hash)}, ${sql.binary(code_hash)}, ${sql.binary(sealed)}, ${subject_hash ? sql.binary(subject_hash) : null},
            ${offer.tx_code ?? null}, ${tx_hash ? sql.binary(tx_hash) : null}, ${offer.created_at}, ${offer.expires_at})`;
}

async function removed({ rows }: Queries, { account, id }: OwnOffer): Promise<boolean> {
    const gone = await rows(sql.unsafe`
        DELETE FROM exchange.offers WHERE id = ${id} AND account = ${account} RETURNING id`);
    if (gone.length === 0) return false;
    await rows(sql.unsafe`UPDATE exchange.accounts SET offers = offers - 1 WHERE account = ${account}`);
    return true;
}
