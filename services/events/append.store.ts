import { hash } from 'node:crypto';
import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { edgeBytes, grownTree, leafHash, rootOf } from '../../platform/transparency/merkle-tree.ts';
import { rowLeaf, sealLeaf } from '../../proto/audit-leaves.ts';
import type { Entry } from '../../proto/gen/events/v1/events.ts';
import { emptied } from './erase.store.ts';
import { gathered, type NewRow } from './gathered.ts';
import { type TreeRow, treeIn, treeRow } from './tree.store.ts';

const TYPES = ['int8', 'uuid', 'int4', 'int4', 'text', 'text', 'timestamptz', 'bytea'];

const entryRow = z.strictObject({ entry_id: z.string() });
const lockedRow = treeRow.extend({ sealed_at: z.string() });
const appendedRow = z.strictObject({
    leaf: z.number(),
    account: z.string(),
    last_seq: z.number(),
    count: z.number(),
    type: z.string(),
    actor: z.string().nullable(),
    happened_at: z.string(),
    data_sha256: z.instanceof(Buffer),
});
type AppendedRow = z.infer<typeof appendedRow>;

/**
 * Numbers the events of each account in the given order, and adds their rows to the tree of the audit. One call after the
 * other does: each locks the head of the tree until its commit. So the numbers of an account are committed in their order,
 * too, and a reader never sees one without those before it. A call that appends the same entry at the same time waits for
 * this one, and then adds nothing.
 */
export function append(db: Database, entries: readonly Entry[], lifetime?: CallLifetime): Promise<void> {
    return db.transaction(
        async (transaction) => {
            const fresh = gathered(await newOf(transaction, entries));
            if (fresh.length === 0) return;
            const [head] = await transaction.rows(sql.type(lockedRow)`
                SELECT size, edge, checkpoint, date_trunc('milliseconds', clock_timestamp()) AS sealed_at
                FROM events.tree FOR UPDATE`);
            if (!head) throw new Error('the tree of the audit has no head');
            await seal(transaction, await insertedRows(transaction, fresh, head.size), head);
        },
        'events_append',
        lifetime,
    );
}

/** The entries that were not appended before. */
async function newOf({ rows }: Queries, entries: readonly Entry[]): Promise<readonly Entry[]> {
    const ids = entries.map(({ entry_id }) => entry_id).sort();
    const added = await rows(sql.type(entryRow)`
        INSERT INTO events.entries (entry_id) SELECT unnest(${sql.array(ids, 'uuid')})
        ON CONFLICT DO NOTHING RETURNING entry_id`);
    const addedIds = new Set(added.map(({ entry_id }) => entry_id));
    return entries.filter(({ entry_id }) => addedIds.delete(entry_id));
}

/** An event of an erased account is appended without its data. */
function insertedRows({ rows }: Queries, fresh: readonly NewRow[], size: number): Promise<readonly AppendedRow[]> {
    const counts = new Map<string, number>(); // of the new events of each account
    for (const { account, count, later } of fresh)
        counts.set(account, Math.max(count + later, counts.get(account) ?? 0));
    const tuples = fresh.map(({ account, later, count, type, actor, happened_at, data }, index) => {
        const shown = [account, later, count, type, actor ?? null, happened_at];
        return [size + index, ...shown, hash('sha256', data, 'buffer')];
    });
    // JSON has no line break. An array of these long texts would cost both sides more: it quotes and escapes each of them.
    const lines = fresh.map(({ data }) => data).join('\n');
    return rows(sql.type(appendedRow)`
        WITH heads AS (
            INSERT INTO events.heads AS heads (account, seq)
            SELECT account, count FROM ${sql.unnest([...counts], ['uuid', 'int4'])} AS new (account, count) ORDER BY account
            ON CONFLICT (account) DO UPDATE SET seq = heads.seq + excluded.seq
            RETURNING account, seq, emptied_to
        )
        INSERT INTO events.log (leaf, account, last_seq, count, type, actor, happened_at, data, data_sha256)
        SELECT leaf, account, seq - later, count, type, actor, happened_at,
               CASE WHEN emptied_to IS NULL THEN data ELSE ${emptied(sql.fragment`count`)} END, data_sha256
        FROM ${sql.unnest(tuples, TYPES)} WITH ORDINALITY
            AS new (leaf, account, later, count, type, actor, happened_at, data_sha256, line)
            JOIN string_to_table(${lines}, E'\\n') WITH ORDINALITY AS lines (data, line) USING (line)
            JOIN heads USING (account)
        RETURNING leaf, account, last_seq, count, type, actor, happened_at, data_sha256`);
}

async function seal(
    { rows: run }: Queries,
    rows: readonly AppendedRow[],
    { sealed_at, ...head }: TreeRow & { sealed_at: string },
): Promise<void> {
    const inOrder = rows.toSorted((one, other) => one.leaf - other.leaf);
    const leaves = [...inOrder.map(leafOf), sealLeaf({ checkpoint: head.checkpoint, sealed_at })];
    const tree = grownTree(treeIn(head), leaves.map(leafHash));
    await run(sql.unsafe`
        INSERT INTO events.seals (leaf, root, checkpoint, sealed_at)
        VALUES (${tree.size - 1}, ${sql.binary(rootOf(tree))}, ${head.checkpoint}, ${sealed_at})`);
    await run(sql.unsafe`UPDATE events.tree SET size = ${tree.size}, edge = ${sql.binary(edgeBytes(tree))}`);
}

function leafOf({ happened_at, actor, data_sha256, ...row }: AppendedRow): string {
    const shown = { timestamp: happened_at, actor: actor ?? undefined, data_sha256: data_sha256.toString('hex') };
    return rowLeaf({ ...row, ...shown });
}
