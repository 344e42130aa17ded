import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testContext } from '../../support/harness.ts';
import { nextMillisecond } from '../../support/until.ts';
import { kind } from '../identity/identity.fixture.ts';
import { keysFixture } from './keys.fixture.ts';

const { keys } = await keysFixture();

test('pages follow each other newest first, without gap or repeat, while keys are added', async () => {
    const context = testContext();
    const made: string[] = [];
    for (let index = 0; index < 7; index++) made.push((await keys.generate({ name: 'a' }, context)).key_id);
    await nextMillisecond();
    const seen: string[] = [];
    let cursor: string | undefined;
    const totals: Array<number | undefined> = [];
    do {
        const page = await keys.list({ limit: 3, cursor, with_total: true }, context);
        seen.push(...page.keys.map(({ key_id }) => key_id));
        totals.push(page.total);
        cursor = page.next_cursor;
        await keys.generate({ name: 'newer' }, context);
    } while (cursor !== undefined);
    assert.deepEqual(seen, made.toSorted().reverse()); // keys of one millisecond are in no order
    assert.deepEqual(totals, [7, 8, 9]);
});

test('a page that ends with the last key has no next cursor', async () => {
    const context = testContext();
    for (let index = 0; index < 3; index++) await keys.generate({ name: 'a' }, context);
    const page = await keys.list({ limit: 3, with_total: false }, context);
    assert.deepEqual([page.keys.length, page.next_cursor, page.total], [3, undefined, undefined]);
});

test('a malformed cursor and a limit out of bounds are refused', async () => {
    const context = testContext();
    await assert.rejects(keys.list({ limit: 10, cursor: 'x', with_total: false }, context), kind('invalid'));
    for (const limit of [0, 1_001]) {
        await assert.rejects(keys.list({ limit, with_total: false }, context), kind('invalid'));
    }
});
