import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { bodyBudget, type ReceivedBody } from '../../../../gateway/http/body-budget.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';

const MIB = 1 << 20;

/** A budget, a clock that the test sets, and the bodies that were refused. */
function setUp(t: TestContext) {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const budget = bodyBudget(createMetrics());
    const refused: string[] = [];
    /** Reserves bytes for a new body. */
    const take = (name: string, address: string, bytes: number): boolean => {
        const body: ReceivedBody = {
            address,
            bytes: 0,
            began: 0,
            index: -1,
            refuse() {
                refused.push(name);
                budget.give(body);
            },
        };
        return budget.take(body, bytes);
    };
    const wait = (ms: number): void => {
        now += ms;
    };
    return { take, refused, wait };
}

it('the bodies of an address may hold 32 MiB, and all bodies 64 MiB', (t) => {
    const { take, refused } = setUp(t);
    assert.ok(take('a', 'one', 32 * MIB));
    assert.ok(!take('b', 'one', 1));
    assert.ok(take('c', 'two', 32 * MIB));
    assert.ok(!take('d', 'three', 1));
    assert.deepEqual(refused, []);
});

it('if all bytes are held, the oldest slow bodies of any address make room for a new one', (t) => {
    const { take, refused, wait } = setUp(t);
    for (const name of ['a', 'b']) take(name, 'one', 16 * MIB);
    take('c', 'two', 32 * MIB);
    wait(1_001);
    assert.ok(take('d', 'three', 17 * MIB));
    assert.deepEqual(refused, ['a', 'b']);
});

it('the oldest slow body makes room first, in whatever order the others came and went', (t) => {
    const { take, refused, wait } = setUp(t);
    for (const name of ['a', 'b']) {
        take(name, 'one', 16 * MIB);
        wait(1);
    }
    take('c', 'two', 32 * MIB);
    wait(1_001);
    assert.ok(take('d', 'three', MIB));
    assert.ok(take('e', 'three', 16 * MIB));
    assert.deepEqual(refused, ['a', 'b']);
});

it('if an address holds its share, only its own slow bodies make room', (t) => {
    const { take, refused, wait } = setUp(t);
    take('a', 'one', 10 * MIB);
    take('b', 'two', 32 * MIB);
    wait(1_001);
    assert.ok(take('c', 'two', MIB));
    assert.deepEqual(refused, ['b']);
});

it('a body that is not slow never makes room', (t) => {
    const { take, refused, wait } = setUp(t);
    take('a', 'one', 32 * MIB);
    wait(1_000);
    assert.ok(!take('b', 'one', 1));
    assert.deepEqual(refused, []);
});
