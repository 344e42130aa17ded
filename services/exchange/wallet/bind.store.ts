import { z } from 'zod';
import { type Database, type Queries, sql } from '../../../platform/postgres/db.ts';

/** The keys of a wallet for which an offer shall give credentials. */
export interface Bindings {
    offer: string;
    thumbprints: readonly Buffer[];
    max_keys: number;
}

/** The credential that was issued for a key. */
export interface Issued {
    offer: string;
    thumbprint: Buffer;
    credential: string;
}

const offerRow = z.strictObject({ id: z.string() });

/** A key that an offer was not bound to before; its thumbprint is null if there is none. */
const boundRow = z.strictObject({ offer: z.string(), thumbprint: z.instanceof(Buffer).nullable() });

/** Binds different offers to keys. Returns the new ones of each, or undefined for offers that would have too many. */
export function bindGroup(db: Database, bindings: readonly Bindings[]): Promise<Array<Buffer[] | undefined>> {
    return db.transaction(async ({ rows }) => {
        // Their rows are locked first, so that calls at the same time bind one after the other.
        const ids = sql.array(
            bindings.map(({ offer }) => offer),
            'uuid',
        );
        const present = await rows(sql.type(offerRow)`
            SELECT id FROM exchange.offers WHERE id = ANY(${ids}) ORDER BY id FOR UPDATE`);
        const known = new Set(present.map(({ id }) => id)); // accounts delete their offers
        const bound = await bindPresent(
            rows,
            bindings.filter(({ offer }) => known.has(offer)),
        );
        return bindings.map(({ offer }) => bound.get(offer));
    });
}

async function bindPresent(rows: Queries['rows'], bindings: readonly Bindings[]) {
    if (bindings.length === 0) return new Map<string, Buffer[]>();
    const tuples = bindings.flatMap(({ offer, thumbprints, max_keys }) =>
        thumbprints.map((thumbprint) => [offer, thumbprint, max_keys]),
    );
    const fitting = await rows(sql.type(boundRow)`
        WITH asked AS (
            SELECT offer, thumbprint, max_keys
            FROM ${sql.unnest(tuples, ['uuid', 'bytea', 'int4'])} AS asked (offer, thumbprint, max_keys)
        ), together AS (
            SELECT offer, thumbprint FROM asked
            UNION SELECT offer, thumbprint FROM exchange.bindings WHERE offer IN (SELECT offer FROM asked)
        ), fitting AS (
            SELECT offer FROM together GROUP BY offer
            HAVING count(*) <= (SELECT max(max_keys) FROM asked WHERE asked.offer = together.offer)
        ), added AS (
            INSERT INTO exchange.bindings (offer, thumbprint)
            SELECT offer, thumbprint FROM asked JOIN fitting USING (offer)
            ON CONFLICT (offer, thumbprint) DO NOTHING
            RETURNING offer, thumbprint
        )
        SELECT offer, thumbprint FROM fitting LEFT JOIN added USING (offer)`);
    const bound = new Map<string, Buffer[]>();
    for (const { offer, thumbprint } of fitting) {
        const own = bound.get(offer) ?? [];
        bound.set(offer, thumbprint ? [...own, thumbprint] : own);
    }
    return bound;
}

/** Notes which credentials were issued. A repeated call for a key has issued the same one. */
export async function noteGroup(db: Database, issued: readonly Issued[]): Promise<undefined[]> {
    const nameOf = ({ offer, thumbprint }: Issued) => `${offer} ${thumbprint.toString('hex')}`;
    const byName = new Map(issued.map((one) => [nameOf(one), one]));
    const inOrder = Array.from(byName.keys())
        .sort()
        .flatMap((name) => byName.get(name) ?? []);
    const tuples = inOrder.map(({ offer, thumbprint, credential }) => [offer, thumbprint, credential]);
    // Another call for the same key may have been refused meanwhile, and have released it.
    const statement = sql.unsafe`
        INSERT INTO exchange.bindings (offer, thumbprint, credential)
        SELECT asked.offer, asked.thumbprint, asked.credential
        FROM ${sql.unnest(tuples, ['uuid', 'bytea', 'text'])} AS asked (offer, thumbprint, credential)
        JOIN exchange.offers ON offers.id = asked.offer
        ON CONFLICT (offer, thumbprint) DO UPDATE SET credential = excluded.credential`;
    await db.prepared('offers_issued', statement);
    return issued.map(() => undefined);
}
