import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turns } from '../../../../platform/access/guard-turns.ts';
import { Cancellation } from '../../../../platform/context.ts';
import { queueStats } from '../../../../platform/queue-stats.ts';

const KEY = 'one subject, one address';
const stats = queueStats('password_attempts');

/** A turn that lasts until `release` is called. */
function heldTurn(takeTurn: ReturnType<typeof turns>) {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { done: takeTurn(KEY, {}, () => promise), release: resolve };
}

describe('an attempt that waits for its turn', { timeout: 30_000 }, () => {
    it('leaves the queue at once when its call is cancelled, and the next attempt runs', async () => {
        const takeTurn = turns(1);
        const held = heldTurn(takeTurn);
        const cancellation = new Cancellation();
        const ran: string[] = [];
        const cancelled = takeTurn(KEY, { cancellation }, async () => ran.push('cancelled'));
        const later = takeTurn(KEY, {}, async () => ran.push('later'));
        assert.equal(stats.waiting, 2);
        cancellation.cancel();
        assert.equal(stats.waiting, 1);
        await assert.rejects(cancelled, { kind: 'cancelled' });
        held.release();
        await Promise.all([held.done, later]);
        assert.deepEqual(ran, ['later']);
        assert.equal(stats.waiting, 0);
    });

    it('is not queued if its call has been cancelled before', async () => {
        const takeTurn = turns(1);
        const held = heldTurn(takeTurn);
        const cancellation = new Cancellation();
        cancellation.cancel();
        await assert.rejects(
            takeTurn(KEY, { cancellation }, async () => {}),
            { kind: 'cancelled' },
        );
        assert.equal(stats.waiting, 0);
        held.release();
        await held.done;
    });

    it('leaves the queue at its deadline', async () => {
        const takeTurn = turns(1);
        const held = heldTurn(takeTurn);
        await assert.rejects(
            takeTurn(KEY, { deadline: performance.now() + 50 }, async () => {}),
            { kind: 'deadline' },
        );
        assert.equal(stats.waiting, 0);
        held.release();
        await held.done;
    });

    it('frees its place in a full queue for another attempt when it leaves', async () => {
        const takeTurn = turns(1);
        const held = heldTurn(takeTurn);
        const cancellation = new Cancellation();
        const gone = Array.from({ length: 1_000 }, () => takeTurn(KEY, { cancellation }, async () => {}));
        await assert.rejects(
            takeTurn(KEY, {}, async () => {}),
            { kind: 'unavailable' },
        );
        cancellation.cancel();
        assert.ok((await Promise.allSettled(gone)).every(({ status }) => status === 'rejected'));
        const another = takeTurn(KEY, {}, async () => 'served');
        held.release();
        assert.equal(await another, 'served');
    });
});
