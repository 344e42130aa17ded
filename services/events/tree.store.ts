import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { edgeBytes, type MerkleTree, treeWith } from '../../platform/transparency/merkle-tree.ts';

export const treeRow = z.strictObject({
    size: z.number(),
    edge: z.instanceof(Buffer),
    /** The size of the last checkpoint; 0 if there is none. */
    checkpoint: z.number(),
});
export type TreeRow = z.infer<typeof treeRow>;

export function treeIn({ size, edge }: Pick<TreeRow, 'size' | 'edge'>): MerkleTree {
    const tree = treeWith(size, edge);
    if (!tree) throw new Error('the head of the tree is damaged');
    return tree;
}

/** The tree as it is now, and the size of its last checkpoint. */
export async function currentTree(db: Database, lifetime?: CallLifetime): Promise<TreeRow> {
    const statement = sql.type(treeRow)`SELECT size, edge, checkpoint FROM events.tree`;
    const [row] = await db.rows(statement, 'events_tree', lifetime);
    if (!row) throw new Error('the tree of the audit has no head');
    return row;
}

const rootRow = z.strictObject({ root: z.instanceof(Buffer) });

/** The root of the tree at an earlier size, after which something was appended. Undefined if there is none or it is pruned. */
export async function rootAt(db: Database, size: number, lifetime?: CallLifetime): Promise<Buffer | undefined> {
    const statement = sql.type(rootRow)`SELECT root FROM events.seals WHERE leaf = ${size - 1}`;
    const [row] = await db.rows(statement, 'events_root', lifetime);
    return row?.root;
}

/** Stores the signed head of an earlier tree. A size that has a checkpoint keeps it. */
export function addCheckpoint(
    db: Database,
    { tree, note }: { tree: MerkleTree; note: string },
    lifetime?: CallLifetime,
): Promise<void> {
    return db.transaction(
        async ({ rows }) => {
            await rows(sql.unsafe`
                INSERT INTO events.checkpoints (size, edge, note)
                VALUES (${tree.size}, ${sql.binary(edgeBytes(tree))}, ${note}) ON CONFLICT DO NOTHING`);
            await rows(sql.unsafe`
                UPDATE events.tree SET checkpoint = ${tree.size} WHERE checkpoint < ${tree.size}`);
        },
        'events_checkpoint',
        lifetime,
    );
}
