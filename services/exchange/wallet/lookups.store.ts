import { z } from 'zod';
import type { CallLifetime } from '../../../platform/context.ts';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { rowLookup, type StatementLimits } from '../../../platform/postgres/row-lookup.ts';
import { MAX_TX_FAILURES } from '../rows.ts';

/** What is read of every offer that a secret of it finds. */
const foundRow = z.strictObject({
    /** Of the secret by which it was found. */
    hash: z.instanceof(Buffer),
    issuer: z.string(),
    /** Until when this secret can be used. */
    expires_at: z.string(),
});

/** An offer that a wallet asks for with the secret of its link. */
const linkOfferRow = foundRow.extend({
    account: z.string(),
    api_key: z.string().nullable(),
    issuer_did: z.string(),
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
    issuer_did: z.string(),
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

/** Finds offers by what wallets present. */
export interface OfferLookups {
    /** An offer that has not expired and was not ended by wrong transaction codes. Its code may be spent. */
    findByLink(link: Presented, lifetime: CallLifetime): Promise<z.infer<typeof linkOfferRow> | undefined>;
    findByCode(code: Presented, lifetime: CallLifetime): Promise<z.infer<typeof codeOfferRow> | undefined>;
    findByToken(token: Presented, lifetime: CallLifetime): Promise<TokenOfferRow | undefined>;
}

export function offerLookups(db: Database, limits: StatementLimits): OfferLookups {
    const byLink = byHash(
        db,
        { name: 'offers_shown', ...limits },
        (hashes) => sql.type(linkOfferRow)`
        SELECT secret_hash AS hash, issuer, expires_at, account, api_key, issuer_did, configuration,
            tx_code::text AS tx_code
        FROM exchange.offers WHERE secret_hash = ANY(${hashes}) AND tx_failures < ${MAX_TX_FAILURES}`,
    );
    const byCode = byHash(
        db,
        { name: 'offers_redeemable', ...limits },
        (hashes) => sql.type(codeOfferRow)`
        SELECT code_hash AS hash, issuer, expires_at, id, account, api_key, session, issuer_did, sealed,
            tx_hash IS NOT NULL AS needs_tx_code,
            code_used_at IS NOT NULL OR tx_failures >= ${MAX_TX_FAILURES} AS is_spent
        FROM exchange.offers WHERE code_hash = ANY(${hashes})`,
    );
    const byToken = byHash(
        db,
        { name: 'offers_opened', ...limits },
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
    { name, ...limits }: StatementLimits & { name: string },
    query: (hashes: Hashes) => ReturnType<ReturnType<typeof sql.type<z.ZodType<Row>>>>,
) {
    const find = rowLookup<Buffer, Row>(db, {
        name,
        statement: name,
        ...limits,
        keyOf: ({ hash }) => hash,
        textOf: (hash) => hash.toString('hex'),
        query: (hashes) => query(sql.array(hashes, 'bytea')),
    });
    return async ({ issuer, hash, now }: Presented, lifetime: CallLifetime): Promise<Row | undefined> => {
        const row = await find(hash, lifetime);
        return row?.issuer === issuer && row.expires_at > now ? row : undefined;
    };
}
