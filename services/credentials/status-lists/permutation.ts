import { createHash } from 'node:crypto';

/**
 * Number of places of a status list. Each has one bit, so a list has 128 KiB before it is compressed. Beyond it: the
 * next list is begun.
 */
export const LIST_PLACES = 1 << 20;

/**
 * Returns the permutation of the numbers below LIST_PLACES that the key determines: the index of the nth place. Indexes
 * look random, so they do not show in which order credentials were issued, and none is given out twice
 * (draft-ietf-oauth-status-list-21, section 13.2). It is a Feistel network of eight rounds on halves of ten bits, whose
 * round functions are tables of random numbers.
 */
export function permutation(key: Uint8Array): (place: number) => number {
    const [rounds, halves] = [8, 1 << 10];
    const bytes = createHash('shake256', { outputLength: rounds * halves * 2 })
        .update(key)
        .digest();
    const tables = new Uint16Array(rounds * halves).map((_, index) => bytes.readUInt16LE(index * 2) % halves);
    return (place) => {
        let left = place >> 10;
        let right = place % halves;
        for (let round = 0; round < rounds; round++) {
            [left, right] = [right, left ^ (tables[round * halves + right] as number)]; // `right` is below `halves`
        }
        return (left << 10) | right;
    };
}
