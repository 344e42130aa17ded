import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { itemResults } from '../../../services/item-results.ts';
import { testContext } from '../../support/context.ts';

/** Runs two items, one after the other, in a call with this much time. Each item takes `itemMs`. */
async function outcomes(t: TestContext, { callMs, itemMs }: { callMs: number; itemMs: number }): Promise<string[]> {
    const began = performance.now();
    let now = began;
    const clock = t.mock.method(performance, 'now', () => now);
    const batch = { limit: 1, noun: 'item', context: testContext({ deadline: began + callMs }) };
    const results = await itemResults([1, 2], batch, async () => {
        now += itemMs;
    });
    clock.mock.restore();
    return results.map(({ failure }) => failure?.code ?? 'ok');
}

it('a batch keeps a tenth of its time for the answer, and works in the rest', async (t) => {
    assert.deepEqual(await outcomes(t, { callMs: 1_900, itemMs: 800 }), ['ok', 'ok']);
    assert.deepEqual(await outcomes(t, { callMs: 1_900, itemMs: 1_720 }), ['ok', 'deadline']);
});

it('a batch keeps two seconds at most', async (t) => {
    assert.deepEqual(await outcomes(t, { callMs: 120_000, itemMs: 117_000 }), ['ok', 'ok']);
    assert.deepEqual(await outcomes(t, { callMs: 120_000, itemMs: 118_500 }), ['ok', 'deadline']);
});
