import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import {
    EMPTY_TREE,
    edgeBytes,
    grownTree,
    leafHash,
    type MerkleTree,
    rootOf,
    treeWith,
} from '../../../platform/transparency/merkle-tree.ts';

/** The leaves and some roots of the test vectors of Certificate Transparency. */
const LEAVES = ['', '\x00', '\x10', ' !', '01', '@ABC', 'PQRSTUVW', '`abcdefghijklmno'];
const ROOTS: Record<number, string> = {
    0: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    1: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    2: 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    3: 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    8: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
};

/** The definition in RFC 6962, section 2.1. */
function definedRoot(leaves: readonly string[]): Buffer {
    const sha256 = (...parts: Array<string | Buffer>) => {
        const hash = createHash('sha256');
        for (const part of parts) hash.update(part);
        return hash.digest();
    };
    const [first = ''] = leaves;
    if (leaves.length === 0) return sha256();
    if (leaves.length === 1) return sha256('\x00', first);
    let left = 1;
    while (left * 2 < leaves.length) left *= 2;
    return sha256('\x01', definedRoot(leaves.slice(0, left)), definedRoot(leaves.slice(left)));
}

const treeOf = (leaves: readonly string[], from = EMPTY_TREE) => grownTree(from, leaves.map(leafHash));

describe('a Merkle tree', () => {
    it('has the roots of the test vectors', () => {
        for (const [size, root] of Object.entries(ROOTS))
            assert.equal(rootOf(treeOf(LEAVES.slice(0, Number(size)))).toString('hex'), root, size);
    });

    it('has the root that RFC 6962 defines, however its leaves were added', () => {
        const leaves = Array.from({ length: 70 }, (_, index) => `leaf ${index}`);
        for (let size = 0; size <= leaves.length; size++) {
            const whole = definedRoot(leaves.slice(0, size));
            for (const first of new Set([0, size >> 1, Math.max(0, size - 1), size])) {
                const tree = treeOf(leaves.slice(first, size), treeOf(leaves.slice(0, first)));
                assert.deepEqual(rootOf(tree), whole, `${size} leaves, ${first} of them first`);
            }
        }
    });

    it('continues from its edge', () => {
        let tree: MerkleTree = EMPTY_TREE;
        for (let size = 1; size <= 40; size++) {
            tree = treeOf([`leaf ${size}`], treeWith(tree.size, edgeBytes(tree)) ?? assert.fail());
            assert.equal(tree.size, size);
        }
        const all = Array.from({ length: 40 }, (_, index) => `leaf ${index + 1}`);
        assert.deepEqual(rootOf(tree), definedRoot(all));
    });

    it('has no edge of another length, and no size that is no number of leaves', () => {
        const edge = edgeBytes(treeOf(['a', 'b', 'c']));
        assert.ok(treeWith(3, edge));
        for (const size of [0, 1, 4, 7, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])
            assert.equal(treeWith(size, edge), undefined, String(size));
        assert.equal(treeWith(3, edge.subarray(1)), undefined);
    });
});
