import { createHash } from 'node:crypto';

/** Number of places of a status list. Each has one bit, so a list has 128 KiB before it is compressed. */
export const LIST_PLACES = 1 << 20;

/** Bits of one half of a place's number. */
const HALF_BITS = 10;
const HALF = 1 << HALF_BITS;
const ROUNDS = 8;

/**
 * Returns the permutation of the numbers below LIST_PLACES that the key determines: the index of the nth place. Indexes
 * look random, so they do not show in which order credentials were issued, and none is given out twice
 * (draft-ietf-oauth-status-list-21, section 13.2). It is a Feistel network whose round functions are tables of random
 * numbers.
 */
export function permutation(key: Uint8Array): (place: number) => number {
    const bytes = createHash('shake256', { outputLength: ROUNDS * HALF * 2 })
        .update(key)
        .digest();
    const tables = new Uint16Array(ROUNDS * HALF).map((_, index) => bytes.readUInt16LE(index * 2) % HALF);
    return (place) => {
        let left = place >> HALF_BITS;
        let right = place % HALF;
        for (let round = 0; round < ROUNDS; round++) {
            [left, right] = [right, left ^ (tables[round * HALF + right] as number)]; // right is below HALF
        }
        return (left << HALF_BITS) | right;
    };
}
