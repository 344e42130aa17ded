import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { StatusList } from '@sd-jwt/jwt-status-list';
import { encodeTokenStatuses, tokenStatuses } from '../../../../services/credentials/status-lists/encoding.ts';
import { LIST_PLACES } from '../../../../services/credentials/status-lists/permutation.ts';

/** Indexes of all places of a byte, at both ends of a list, and random ones. */
const REVOKED = new Set([0, 1, 2, 8, 11, LIST_PLACES - 2, LIST_PLACES - 1]);
while (REVOKED.size < 1_000) REVOKED.add(randomInt(LIST_PLACES));

test('the examples of the draft are compressed to the texts of the draft', async () => {
    // draft-ietf-oauth-status-list-21, section 4.1: statuses of one bit, and of two bits
    assert.equal(await encodeTokenStatuses(Uint8Array.of(0xb9, 0xa3)), 'eNrbuRgAAhcBXQ');
    assert.equal(await encodeTokenStatuses(Uint8Array.of(0xc9, 0x44, 0xf9)), 'eNo76fITAAPfAgc');
});

test('the statuses of the first example of the draft have the bytes of the draft', () => {
    const statuses = tokenStatuses([0, 3, 4, 5, 7, 8, 9, 13, 15]);
    assert.deepEqual([...statuses.subarray(0, 3)], [0xb9, 0xa3, 0]);
    assert.equal(statuses.length, LIST_PLACES / 8);
});

test('another implementation of the draft reads every status of a list as it was written', async () => {
    const lst = await encodeTokenStatuses(tokenStatuses(REVOKED));
    const read = StatusList.decompressStatusList(lst, 1);
    for (let index = 0; index < LIST_PLACES; index++) {
        if (read.getStatus(index) !== Number(REVOKED.has(index))) assert.fail(`the status at ${index}`);
    }
});
