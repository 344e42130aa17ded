import { z } from 'zod';
import { type Coalescer, coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import { appendPendingCounts } from '../counts/pending.store.ts';
import type { ErasureStep } from '../erasure.ts';
import { type Writes, writes } from '../idempotency/writes.store.ts';
import { didErasure, registeredStep } from './erase.store.ts';
import type { DidRow } from './rows.ts';

interface OwnershipQuery {
    account: string;
    dids: readonly string[];
}

const listedDid = z.strictObject({
    did: z.string(),
    public_key: z.instanceof(Buffer),
    origin: z.string(),
    created_at: z.string(),
});

/** The DIDs of an account that follow `after`; without it, those at the beginning. */
interface DidPage {
    account: string;
    after: string | undefined;
    limit: number;
}

export interface DidStore extends Writes<DidRow> {
    /** Returns one page of what the account has written, in the order of the DIDs. */
    list(page: DidPage, lifetime?: CallLifetime): Promise<ReadonlyArray<z.infer<typeof listedDid>>>;
    find: Coalescer<string, { public_key: Uint8Array } | undefined>;
    /** Returns those of `dids` that the account owns. */
    filterOwned: Coalescer<OwnershipQuery, string[]>;
    erasure: readonly ErasureStep[];
    registeredErasure: ErasureStep;
}

/**
 * Maximum number of DIDs in the queries of one batch. A single query that has more is a batch of its own. Beyond it:
 * the rest goes with the next batch.
 */
const DIDS_OF_A_GROUP = 1_000;

const foundRow = z.strictObject({ did: z.string(), public_key: z.instanceof(Buffer) });
const ownerRow = z.strictObject({ did: z.string(), account: z.string().nullable() });

export function didStore(db: Database): DidStore {
    return {
        ...writes<DidRow>(db, {
            name: 'did',
            table: ['did', 'dids'],
            columns: {
                did: { type: 'text', value: ({ did }) => did },
                public_key: { type: 'bytea', value: ({ public_key }) => Buffer.from(public_key) },
                account: { type: 'uuid', value: ({ account }) => account, isRead: true },
                origin: { type: 'text', value: ({ origin }) => origin, isRead: true },
                created_at: { type: 'timestamptz', value: () => 'now' }, // PostgreSQL reads it as the time of the statement
            },
            key: 'did',
            order: sql.fragment`did`,
            // The DID of a wallet does not count: the wallet is counted instead.
            counts: appendPendingCounts('dids_created', { which: sql.fragment`origin <> 'wallet'` }),
        }),
        list({ account, after = '', limit }, lifetime) {
            // Compares tuples. With `account = …` PostgreSQL could choose to scan the DIDs of all accounts.
            const statement = sql.type(listedDid)`
                SELECT did, public_key, origin, created_at FROM did.dids
                WHERE (account, did) > (${account}, ${after}) AND account <= ${account}
                ORDER BY account, did LIMIT ${limit}`;
            return db.rows(statement, 'did_list', lifetime);
        },
        find: rowLookup(db, {
            name: 'did_find',
            statement: 'dids_find',
            keyOf: ({ did }) => did,
            query: (dids: string[]) => sql.type(foundRow)`
                SELECT did, public_key FROM did.dids WHERE did = ANY(${sql.array(dids, 'text')})`,
        }),
        filterOwned: coalesce({
            ...STORE_GROUPS,
            name: 'did_filter_owned',
            weight: { of: ({ dids }: OwnershipQuery) => dids.length, max: DIDS_OF_A_GROUP },
            run: (queries: OwnershipQuery[], group) => filterGroup(db, queries, group),
        }),
        erasure: didErasure(db),
        registeredErasure: registeredStep(db),
    };
}

async function filterGroup(db: Database, queries: OwnershipQuery[], group: CallLifetime): Promise<string[][]> {
    const dids = queries.flatMap((query) => query.dids);
    const rows = await db.prepared(
        'dids_owners',
        sql.type(ownerRow)`
        SELECT did, account FROM did.dids
        WHERE did = ANY(${sql.array(dids, 'text')}) AND origin IN ('generated', 'wallet')`,
        group,
    );
    const owners = new Map(rows.map((row) => [row.did, row.account]));
    return queries.map(({ account, dids }) => dids.filter((did) => owners.get(did) === account));
}
