import { z } from 'zod';
import { type Coalescer, coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import {
    type Database,
    isDeadlock,
    isRefusedStatement,
    type Queries,
    STORE_GROUPS,
    sql,
} from '../../platform/postgres/db.ts';
import { pruneByTime } from '../../platform/postgres/prune.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import { type Claim, type HeldClaim, heldClaim } from './claim.ts';

/** The schemas of the services that create something. Each has a table `idempotency`. */
export type Owner =
    | 'credentials'
    | 'did'
    | 'identity'
    | 'keys'
    | 'presentations'
    | 'signing'
    | 'wallet'
    | 'webhooks'
    | 'exchange';

/** A claim together with what is stored with it. */
export type NewClaim = Pick<Claim, 'scope_hash' | 'fingerprint' | 'claimant' | 'stale_before'> &
    Pick<HeldClaim, 'id' | 'made_at' | 'sealed'>;

/**
 * What a claimed write did. `held`: nothing, because an earlier call holds the claim. `refused`: nothing, because the
 * row may not be written; then there is no claim either.
 */
export type Outcome = 'written' | 'held' | 'refused';

/** Finds claims by their scope hash, also expired ones. */
export function claimLookup(db: Database, owner: Owner): Coalescer<Buffer, HeldClaim | undefined> {
    return rowLookup(db, {
        name: `${owner}_claim_find`,
        statement: `${owner}_claim_find`,
        keyOf: ({ scope_hash }) => scope_hash,
        textOf: (hash) => hash.toString('hex'),
        query: (hashes: Buffer[]) => sql.type(heldClaim)`
            SELECT scope_hash, fingerprint, id, made_at, sealed FROM ${sql.identifier([owner, 'idempotency'])}
            WHERE scope_hash = ANY(${sql.array(hashes, 'bytea')})`,
    });
}

/** The columns of a claim in `new`, the input of a claimed write, with their types. */
export const CLAIM_COLUMNS = sql.fragment`scope_hash, fingerprint, claimant, id, made_at, sealed`;
export const CLAIM_TYPES = ['bytea', 'bytea', 'uuid', 'uuid', 'timestamptz', 'bytea'];

/** The values of CLAIM_COLUMNS. */
export function claimValues({ scope_hash, fingerprint, claimant, id, made_at, sealed }: NewClaim) {
    return [scope_hash, fingerprint, claimant, id, made_at, sealed];
}

/**
 * Returns the common table expression `claimed`: the ids of those rows of `new` whose scope nobody else holds. A claim
 * that has expired is taken over. The order is the same everywhere, so that two statements with the same claims do not
 * deadlock. A statement must not contain two claims of one scope.
 */
export function claimedFromNew(owner: Owner, { stale_before }: Pick<NewClaim, 'stale_before'>) {
    return sql.fragment`claimed AS (
            INSERT INTO ${sql.identifier([owner, 'idempotency'])} AS held (${CLAIM_COLUMNS})
            SELECT ${CLAIM_COLUMNS} FROM new ORDER BY scope_hash
            ON CONFLICT (scope_hash) DO UPDATE
            SET fingerprint = excluded.fingerprint, claimant = excluded.claimant, id = excluded.id,
                made_at = excluded.made_at, sealed = excluded.sealed
            WHERE held.made_at < ${stale_before}
            RETURNING held.id
        )`;
}

/** Like claimedFromNew, for a statement that writes one row. */
export function claimedAlone(owner: Owner, claim: NewClaim) {
    return claimedAll(owner, [claim]);
}

function claimedAll(owner: Owner, claims: readonly NewClaim[]) {
    const [claim] = claims as [NewClaim]; // no batch is empty
    return sql.fragment`new AS (
            SELECT * FROM ${sql.unnest(claims.map(claimValues), CLAIM_TYPES)} AS new (${CLAIM_COLUMNS})
        ), ${claimedFromNew(owner, claim)}`;
}

const madeClaim = z.strictObject({ id: z.string() });

/** Makes claims in the transaction of their writes. Resolves to the ids of those that no earlier call holds. */
export async function makeClaims({ rows }: Queries, owner: Owner, claims: readonly NewClaim[]): Promise<Set<string>> {
    const made = await rows(sql.type(madeClaim)`WITH ${claimedAll(owner, claims)} SELECT id FROM claimed`);
    return new Set(made.map(({ id }) => id));
}

/** Makes a claim in the transaction of its write. Resolves to false if an earlier call holds it. */
export async function makeClaim(queries: Queries, owner: Owner, claim: NewClaim): Promise<boolean> {
    return (await makeClaims(queries, owner, [claim])).size > 0;
}

/** Undoes a transaction that may not write its row, together with its claim. */
const REFUSED = new Error('the row may not be written');

/** Makes a claim, if there is one, and writes a row in one transaction. `write` resolves to false if it may not write it. */
export function writeClaimed(
    db: Database,
    { owner, claim, name }: { owner: Owner; claim: NewClaim | undefined; name: string },
    write: (transaction: Queries) => Promise<boolean>,
    lifetime: CallLifetime,
): Promise<Outcome> {
    const work = async (transaction: Queries): Promise<Outcome> => {
        if (claim && !(await makeClaim(transaction, owner, claim))) return 'held';
        if (!(await write(transaction))) throw REFUSED;
        return 'written';
    };
    return db.transaction(work, name, lifetime).catch((error: unknown): Outcome => {
        if (error === REFUSED) return 'refused';
        throw error;
    });
}

/** Removes claims whose rows were refused, in the transaction that has made them. */
export function releaseClaims(owner: Owner, claims: readonly NewClaim[]) {
    const ids = claims.map(({ id }) => id);
    const hashes = claims.map(({ scope_hash }) => scope_hash);
    return sql.unsafe`
        DELETE FROM ${sql.identifier([owner, 'idempotency'])}
        WHERE scope_hash = ANY(${sql.array(hashes, 'bytea')}) AND id = ANY(${sql.array(ids, 'uuid')})`;
}

/** Adds the sealed answer to a claim, in the transaction that has made it. */
export function sealClaim(owner: Owner, { scope_hash }: NewClaim, sealed: Buffer) {
    return sql.unsafe`
        UPDATE ${sql.identifier([owner, 'idempotency'])} SET sealed = ${sql.binary(sealed)}
        WHERE scope_hash = ${sql.binary(scope_hash)}`;
}

/**
 * Gathers claimed writes. If a batch has several items of one scope, only the first is written now. The others get
 * `held`: their callers look the claim up and, if there is none, write again in a later batch.
 */
export function claimedWrites<Item extends { claim: NewClaim }>(options: {
    name: string;
    run(items: Item[], group: CallLifetime): Promise<Outcome[]>;
}): Coalescer<Item, Outcome> {
    const { name, run } = options;
    return coalesce({
        ...STORE_GROUPS,
        name,
        bisectOn: (error) => isRefusedStatement(error) || isDeadlock(error),
        async run(items: Item[], group) {
            const byScope = Map.groupBy(items, ({ claim }) => claim.scope_hash.toString('hex'));
            const firsts = Array.from(byScope.values(), ([first]) => first as Item); // no group is empty
            const outcomes = await run(firsts, group);
            const outcomeOf = new Map(firsts.map((item, index) => [item, outcomes[index]]));
            return items.map((item) => outcomeOf.get(item) ?? 'held');
        },
    });
}

/** Removes the claims that are older than `hours`. Returns how many it removed. */
export function pruneClaims(db: Database, owner: Owner, hours: number): Promise<number> {
    const before = sql.fragment`now() - make_interval(hours => ${hours})`;
    return pruneByTime(db, { table: [owner, 'idempotency'], key: 'scope_hash', time: 'made_at', before });
}
