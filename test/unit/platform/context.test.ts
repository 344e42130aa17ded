import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
    Cancellation,
    detached,
    isOver,
    limitOf,
    overError,
    reasonNotToStart,
    requireTime,
} from '../../../platform/context.ts';
import { testContext } from '../../support/harness.ts';

describe('a cancelled call', () => {
    it('is cancelled in every copy of its context, made before or after the cancellation', () => {
        const context = testContext();
        const before = { ...context, deadline: Number.POSITIVE_INFINITY };
        context.cancellation.cancel();
        const after = { ...before, trusted: true };
        for (const one of [context, before, after]) {
            assert.ok(isOver(one, performance.now()));
            assert.equal(reasonNotToStart(one)?.kind, 'cancelled');
            assert.throws(() => requireTime(one), { kind: 'cancelled' });
        }
    });

    it('does not end detached work, which has its own deadline', () => {
        const context = testContext();
        const shared = detached(context, 1_000);
        context.cancellation.cancel();
        assert.equal(reasonNotToStart(shared), undefined);
        assert.ok(!isOver(shared, performance.now()));
        assert.ok(isOver(shared, performance.now() + 1_000));
        assert.equal(overError(shared).kind, 'deadline');
    });

    it('notifies each listener once, added before or after the cancellation, but no removed listener', () => {
        const cancellation = new Cancellation();
        const told: string[] = [];
        cancellation.onCancelled(() => told.push('early'));
        const leave = cancellation.onCancelled(() => told.push('left'));
        leave();
        assert.ok(!cancellation.isCancelled);
        cancellation.cancel();
        cancellation.cancel();
        cancellation.onCancelled(() => told.push('late'));
        assert.ok(cancellation.isCancelled);
        assert.deepEqual(told, ['early', 'late']);
    });
});

it('a call with too little time left for an answer is not started, but is not over before its deadline', () => {
    const late = testContext({ deadline: performance.now() + 60 });
    assert.equal(reasonNotToStart(late)?.kind, 'deadline');
    assert.ok(!isOver(late, late.deadline - 40));
    assert.ok(isOver(late, late.deadline));
});

it('work without a deadline and without a cancellation is never over', () => {
    assert.equal(reasonNotToStart({}), undefined);
    assert.ok(!isOver({}, Number.MAX_VALUE));
});

it('a call for an account may take 30 s, any other 120 s, and each what its caller sets below that', () => {
    const limits = [{ user_id: 'an account' }, {}].map((caller) => [limitOf(5_000, caller), limitOf(1e9, caller)]);
    assert.deepEqual(limits, [
        [5_000, 30_000],
        [5_000, 120_000],
    ]);
});
