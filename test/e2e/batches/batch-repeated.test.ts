import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { expectError, expectOk } from '../support/client.ts';
import { batching, ITEM } from './batch.fixture.ts';

const { keyPair, batch } = await batching();

/** A batch that issues, with this Idempotency-Key. */
const issuing = (key: string, items: unknown[]) =>
    batch('issue', { ...keyPair, items }, { headers: { 'idempotency-key': key } });

it('a repeated batch keeps what was issued and issues the items that were corrected, whatever was wrong', async () => {
    const key = randomUUID();
    const [first, last] = [
        { ...ITEM, claims: { place: 0 } },
        { ...ITEM, claims: { place: 3 } },
    ];
    const sent = await expectOk(200, issuing(key, [first, 'not an object', { ...ITEM, subject_did: 'nobody' }, last]));
    assert.deepEqual([sent.total_succeeded, sent.total_failed], [2, 2]);
    const corrected = await expectOk(200, issuing(key, [first, ITEM, ITEM, last]));
    assert.deepEqual([corrected.total_succeeded, corrected.total_failed], [4, 0]);
    assert.deepEqual([corrected.results[0], corrected.results[3]], [sent.results[0], sent.results[3]]);
    const again = await expectOk(200, issuing(key, [first, ITEM, ITEM, last]));
    assert.deepEqual(again, corrected);
});

it('a repeated batch in which an issued item has changed is refused as a whole', async () => {
    const key = randomUUID();
    await expectOk(200, issuing(key, ['not an object', ITEM]));
    for (const changed of [{ ...ITEM, claims: { other: true } }, { ...ITEM, claims: undefined }, 5]) {
        await expectError(422, issuing(key, [ITEM, changed]));
    }
    await expectError(422, issuing(key, [5, 5]));
});
