import assert from 'node:assert/strict';
import { it } from 'node:test';
import { localWindows } from '../../../../platform/access/local-windows.ts';

const WINDOW_MS = 60_000;
const T0 = 1_800_000_000_000;

it('a window opens with its first call and admits its limit; refused calls do not change it', () => {
    const { take } = localWindows(WINDOW_MS);
    const end = T0 + WINDOW_MS;
    assert.deepEqual(take('a', 2, T0), { admitted: true, remaining: 1, end });
    assert.deepEqual(take('a', 2, T0 + 1), { admitted: true, remaining: 0, end });
    for (const later of [2, 30_000, WINDOW_MS - 1]) {
        assert.deepEqual(take('a', 2, T0 + later), { admitted: false, remaining: 0, end });
    }
    assert.deepEqual(take('a', 2, end), { admitted: true, remaining: 1, end: end + WINDOW_MS });
});

it('each bucket has its own window', () => {
    const { take } = localWindows(WINDOW_MS);
    take('a', 1, T0);
    assert.equal(take('a', 1, T0 + 5).admitted, false);
    assert.deepEqual(take('b', 1, T0 + 5), { admitted: true, remaining: 0, end: T0 + 5 + WINDOW_MS });
});

it('no caller waits longer than a window after the clock is set back', () => {
    const { take } = localWindows(WINDOW_MS);
    take('a', 1, T0);
    const earlier = T0 - 3_600_000;
    assert.deepEqual(take('a', 1, earlier), { admitted: true, remaining: 0, end: earlier + WINDOW_MS });
    assert.equal(take('a', 1, earlier + WINDOW_MS - 1).admitted, false);
    assert.equal(take('a', 1, earlier + WINDOW_MS).admitted, true);
});

it('at most 100,000 windows are kept, and those not used for longest are dropped first', () => {
    const { take } = localWindows(WINDOW_MS);
    take('in use', 1, T0);
    for (let bucket = 0; bucket <= 100_001; bucket++) {
        take(`${bucket}`, 1, T0);
        take('in use', 1, T0, 0);
    }
    assert.equal(take('in use', 1, T0 + 1).admitted, false);
    assert.equal(take('100001', 1, T0 + 1).admitted, false);
    assert.equal(take('0', 1, T0 + 1).admitted, true);
});

it('a weight of 0 looks, and a negative one gives back; neither opens a window', () => {
    const { take } = localWindows(WINDOW_MS);
    const end = T0 + WINDOW_MS;
    for (const weight of [0, -1]) {
        assert.deepEqual(take('a', 2, T0, weight), { admitted: true, remaining: 2, end });
    }
    take('a', 2, T0 + 5, 2);
    assert.deepEqual(take('a', 2, T0 + 6, 0), { admitted: true, remaining: 0, end: end + 5 });
    assert.deepEqual(take('a', 2, T0 + 6, -1), { admitted: true, remaining: 1, end: end + 5 });
    assert.deepEqual(take('a', 2, T0 + 6, -5), { admitted: true, remaining: 2, end: end + 5 });
    assert.deepEqual(take('a', 2, T0 + 7), { admitted: true, remaining: 1, end: end + 5 });
});

it('a call is admitted with all of its weight or not at all', () => {
    const { take } = localWindows(WINDOW_MS);
    const end = T0 + WINDOW_MS;
    assert.deepEqual(take('a', 10, T0, 7), { admitted: true, remaining: 3, end });
    assert.deepEqual(take('a', 10, T0, 4), { admitted: false, remaining: 3, end });
    assert.deepEqual(take('a', 10, T0, 3), { admitted: true, remaining: 0, end });
    assert.deepEqual(take('a', 10, T0), { admitted: false, remaining: 0, end });
});
