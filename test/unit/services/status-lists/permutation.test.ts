import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { LIST_PLACES, permutation } from '../../../../services/credentials/status-lists/permutation.ts';

/** The indexes of all places, in order. */
function allIndexes(key: Uint8Array): Uint32Array {
    const indexOf = permutation(key);
    return new Uint32Array(LIST_PLACES).map((_, place) => indexOf(place));
}

test('every index of a list is given out exactly once, whatever the key', () => {
    for (const key of [Buffer.alloc(16), randomBytes(16), randomBytes(16)]) {
        const given = new Uint8Array(LIST_PLACES);
        for (const index of allIndexes(key)) given[index] = (given[index] ?? 2) + 1; // 2: beyond the list
        assert.ok(
            given.every((times) => times === 1),
            `key ${key.toString('hex')}`,
        );
    }
});

test('indexes depend on the key, and do not show the order of the places', () => {
    const key = randomBytes(16);
    const indexes = allIndexes(key);
    assert.deepEqual(allIndexes(key), indexes, 'the same key gives the same order');
    const others = allIndexes(randomBytes(16));
    const equal = indexes.filter((index, place) => others[place] === index).length;
    assert.ok(equal < 20, `${equal} places have the same index under another key; one is expected`);
    // If the order were random, half of all indexes would be greater than the one before.
    const rising = indexes.filter((index, place) => index > (indexes[place - 1] ?? 0)).length;
    assert.ok(Math.abs(rising / LIST_PLACES - 0.5) < 0.005, `${rising} of ${LIST_PLACES} rise`);
});
