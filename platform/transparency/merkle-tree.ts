import { hash } from 'node:crypto';

/**
 * The Merkle tree of RFC 6962 (section 2.1) over leaves that are only ever added. To add more, its edge is enough: the
 * roots of its largest complete subtrees, from left to right, one for each bit of the size.
 */
export interface MerkleTree {
    /** Number of leaves. */
    readonly size: number;
    readonly edge: readonly Buffer[];
}

/** Length of a hash, in bytes. */
const HASH_BYTES = 32;
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

export const EMPTY_TREE: MerkleTree = { size: 0, edge: [] };

export function leafHash(leaf: string): Buffer {
    return sha256(LEAF, Buffer.from(leaf));
}

/** The tree with these leaves added, which are given by their hashes. */
export function grownTree(tree: MerkleTree, leaves: readonly Buffer[]): MerkleTree {
    const edge = [...tree.edge];
    let { size } = tree;
    for (const leaf of leaves) {
        let root = leaf;
        // A subtree of the same number of leaves is on the left: both become one.
        for (let count = size; count % 2 === 1; count = (count - 1) / 2) root = nodeOver(edge.pop(), root);
        edge.push(root);
        size++;
    }
    return { size, edge };
}

export function rootOf({ edge }: MerkleTree): Buffer {
    const [last, ...others] = [...edge].reverse();
    return others.reduce((right, left) => nodeOver(left, right), last ?? sha256());
}

/** The edge as one text of bytes. */
export function edgeBytes({ edge }: MerkleTree): Buffer {
    return Buffer.concat(edge);
}

/** The tree with this size and edge. Undefined if the bytes are no edge of such a tree. */
export function treeWith(size: number, edge: Uint8Array): MerkleTree | undefined {
    if (!Number.isSafeInteger(size) || size < 0) return undefined;
    let count = 0;
    for (let rest = size; rest >= 1; rest = Math.floor(rest / 2)) count += rest % 2;
    if (edge.length !== count * HASH_BYTES) return undefined;
    const bytes = Buffer.from(edge);
    const at = (index: number) => bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
    return { size, edge: Array.from({ length: count }, (_, index) => at(index)) };
}

function nodeOver(left: Buffer | undefined, right: Buffer): Buffer {
    if (left === undefined) throw new Error('the edge of the tree has too few roots');
    return sha256(NODE, left, right);
}

function sha256(...parts: readonly Buffer[]): Buffer {
    return hash('sha256', Buffer.concat(parts), 'buffer');
}
