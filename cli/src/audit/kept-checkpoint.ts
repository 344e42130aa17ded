import { type MerkleTree, rootOf } from '../../../platform/transparency/merkle-tree.ts';
import type { Checkpoint } from '../../../platform/transparency/signed-note.ts';
import { Fault } from './fault.ts';

/**
 * A checkpoint of an earlier audit. Its tree must be the beginning of that of a later one (RFC 6962, section 2.1.2): the
 * leaves are all there, so the later tree had its root when it had its size.
 */
export class KeptCheckpoint {
    readonly #checkpoint: Checkpoint;
    #isFound = false;

    constructor(checkpoint: Checkpoint) {
        this.#checkpoint = checkpoint;
    }

    /** Looks at the tree before the first leaf of the audit. Throws Fault if it is too large. */
    begin(tree: MerkleTree): void {
        const { size } = this.#checkpoint;
        if (tree.size > size)
            throw new Fault(
                `The audit begins after the ${size} leaves of the kept checkpoint. Export an earlier part, too.`,
            );
        this.grow(tree);
    }

    /** Looks at the tree with one leaf more. Throws Fault if it is another. */
    grow(tree: MerkleTree): void {
        const { size, root } = this.#checkpoint;
        if (tree.size !== size) return;
        if (!rootOf(tree).equals(root))
            throw new Fault(
                `The kept checkpoint has another root for these ${size} leaves: one of the lines up to this one was changed, removed or added after it was signed.`,
            );
        this.#isFound = true;
    }

    /** Throws Fault if the audit has fewer leaves. */
    end({ size }: MerkleTree): void {
        if (this.#isFound) return;
        throw new Fault(
            `The kept checkpoint has ${this.#checkpoint.size} leaves, and this audit has ${size}: the last ones were removed, or it is older.`,
        );
    }
}
