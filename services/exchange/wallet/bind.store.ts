import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';

/** The keys of a wallet for which an offer shall give credentials, by their thumbprints in base64url. */
export interface Binding {
    offer: string;
    thumbprints: readonly string[];
    /** A UUID of the call that asks for them. */
    call: string;
    max_keys: number;
}

/** The credential that was issued for a key. */
export interface Issued {
    offer: string;
    thumbprint: string;
    credential: string;
}

/** `bindings`: JSON text. A credential is named by a URN, a call by a UUID. */
const boundRow = z.strictObject({ id: z.string(), bindings: z.string() });

const notedRow = z.strictObject({ id: z.string() });

/**
 * Binds different offers to keys, except those that would then have too many. Returns the thumbprints that each call has
 * bound, and undefined for the others. Calls at the same time, of other processes too, wait for the row of the offer.
 */
export async function bindGroup(db: Database, asked: readonly Binding[]): Promise<Array<Set<string> | undefined>> {
    const tuples = inOrder(asked).map(({ offer, thumbprints, call, max_keys }) => [
        offer,
        JSON.stringify(Object.fromEntries(thumbprints.map((thumbprint) => [thumbprint, call]))),
        max_keys,
    ]);
    const statement = sql.type(boundRow)`
        WITH bound AS (
            UPDATE exchange.offers AS row SET bindings = asked.bindings || row.bindings
            FROM ${sql.unnest(tuples, ['uuid', 'jsonb', 'int4'])} AS asked (id, bindings, max_keys)
            WHERE row.id = asked.id
                AND (SELECT count(*) FROM jsonb_object_keys(asked.bindings || row.bindings)) <= asked.max_keys
            RETURNING row.id, row.bindings
        ) SELECT id, bindings::text AS bindings FROM bound`;
    const rows = await db.prepared('offers_bind', statement);
    const byOffer = new Map(rows.map(({ id, bindings }) => [id, JSON.parse(bindings) as Record<string, string>]));
    return asked.map(({ offer, thumbprints, call }) => {
        const bound = byOffer.get(offer);
        return bound && new Set(thumbprints.filter((thumbprint) => bound[thumbprint] === call));
    });
}

/**
 * Notes which credentials were issued. A repeated call for a key has issued the same one. Returns false for each offer whose
 * subject was erased meanwhile.
 */
export async function noteGroup(db: Database, issued: readonly Issued[]): Promise<boolean[]> {
    const byOffer = Map.groupBy(inOrder(issued), ({ offer }) => offer);
    const tuples = Array.from(byOffer, ([offer, own]) => [
        offer,
        JSON.stringify(Object.fromEntries(own.map(({ thumbprint, credential }) => [thumbprint, credential]))),
    ]);
    const statement = sql.type(notedRow)`
        WITH noted AS (
            UPDATE exchange.offers AS row SET bindings = row.bindings || asked.bindings
            FROM ${sql.unnest(tuples, ['uuid', 'jsonb'])} AS asked (id, bindings) WHERE row.id = asked.id
            RETURNING row.id, row.sealed
        ) SELECT id FROM noted WHERE sealed = ''`;
    const erased = new Set((await db.prepared('offers_issued', statement)).map(({ id }) => id));
    return issued.map(({ offer }) => !erased.has(offer));
}

/** In one order, so that groups of two processes rarely deadlock. A group that still does is divided. */
function inOrder<Item extends { offer: string }>(items: readonly Item[]): Item[] {
    return [...items].sort((one, other) => (one.offer < other.offer ? -1 : 1));
}
