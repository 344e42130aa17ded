import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Cancellation } from '../../../../platform/context.ts';
import { AppError } from '../../../../platform/errors.ts';
import { queueStats } from '../../../../platform/queue-stats.ts';
import { priorityQueue } from '../../../../workers/crypto/priority-queue.ts';

/** Lanes over jobs that end when told to; `running` holds the names of those that have started and not ended. */
function controlled(slots: number, max_waiting: number) {
    const ends = new Map<string, PromiseWithResolvers<string>>();
    const call = priorityQueue<string, string>({
        name: 'test',
        waited() {},
        run: (name) => {
            const end = Promise.withResolvers<string>();
            ends.set(name, end);
            return end.promise;
        },
        slots,
        max_waiting,
    });
    return {
        call,
        running: () => [...ends.keys()].join(' '),
        async end(name: string, error?: Error) {
            if (error) ends.get(name)?.reject(error);
            else ends.get(name)?.resolve(name);
            ends.delete(name);
            await setImmediate();
        },
    };
}

test('background jobs take at most half of the slots, and all foreground jobs go first', async () => {
    const { call, running, end } = controlled(4, 10);
    for (const name of ['b1', 'b2', 'b3', 'b4']) void call(name, 'background');
    assert.equal(running(), 'b1 b2');
    for (const name of ['f1', 'f2', 'f3', 'f4']) void call(name, 'foreground');
    assert.equal(running(), 'b1 b2 f1 f2');
    await end('b1');
    assert.equal(running(), 'b2 f1 f2 f3', 'a waiting login takes the slot that a batch gave up');
    await end('b2');
    assert.equal(running(), 'f1 f2 f3 f4');
    await end('f1');
    assert.equal(running(), 'f2 f3 f4 b3');
});

test('with one slot, background jobs run one at a time when nothing else waits', async () => {
    const { call, running, end } = controlled(1, 10);
    void call('b1', 'background');
    void call('b2', 'background');
    void call('f1', 'foreground');
    assert.equal(running(), 'b1');
    await end('b1');
    assert.equal(running(), 'f1');
    await end('f1');
    assert.equal(running(), 'b2');
});

test('foreground jobs may fill every slot', () => {
    const { call, running } = controlled(3, 10);
    for (const name of ['f1', 'f2', 'f3', 'f4']) void call(name, 'foreground');
    assert.equal(running(), 'f1 f2 f3');
});

test('each lane refuses what exceeds its own queue, with the time to come back', async () => {
    const { call, running, end } = controlled(1, 2);
    const waiting = ['f1', 'f2', 'f3'].map((name) => call(name, 'foreground'));
    const full = (error: unknown) =>
        error instanceof AppError && error.kind === 'unavailable' && error.retry_after === 1;
    await assert.rejects(call('f4', 'foreground'), full);
    void call('b1', 'background');
    void call('b2', 'background');
    await assert.rejects(call('b3', 'background'), full);
    for (const name of ['f1', 'f2', 'f3']) await end(name);
    assert.deepEqual(await Promise.all(waiting), ['f1', 'f2', 'f3']);
    assert.equal(running(), 'b1');
});

test('a job that fails gives its slot back', async () => {
    const { call, running, end } = controlled(1, 2);
    const failed = assert.rejects(call('f1', 'foreground'), /broken/);
    const next = call('f2', 'foreground');
    await end('f1', new Error('broken'));
    await failed;
    assert.equal(running(), 'f2');
    await end('f2');
    assert.equal(await next, 'f2');
});

test('a job whose turn comes too late for its deadline is not run, and those behind it are', async () => {
    const { call, running, end } = controlled(1, 10);
    void call('first', 'foreground');
    const soon = performance.now() + 150;
    const late = Promise.allSettled(['late', 'late too'].map((name) => call(name, 'foreground', { deadline: soon })));
    const in_time = call('in time', 'foreground', { deadline: performance.now() + 60_000 });
    while (performance.now() < soon) await setImmediate();
    await end('first');
    assert.equal(running(), 'in time');
    for (const outcome of await late) {
        assert.ok(outcome.status === 'rejected' && outcome.reason instanceof AppError);
        assert.equal(outcome.reason.kind, 'deadline');
    }
    await end('in time');
    assert.equal(await in_time, 'in time');
});

test('a job whose client goes away leaves the queue at once and makes room, and is never run', async () => {
    const { call, running, end } = controlled(1, 2);
    const stats = queueStats('test_foreground');
    void call('first', 'foreground');
    const { waiting } = stats;
    const cancellation = new Cancellation();
    const gone = ['gone', 'gone too'].map((name) => call(name, 'foreground', { cancellation }));
    assert.equal(stats.waiting, waiting + 2);
    cancellation.cancel();
    for (const job of gone) await assert.rejects(job, { kind: 'cancelled' });
    assert.equal(stats.waiting, waiting);
    await assert.rejects(call('late', 'foreground', { cancellation }), { kind: 'cancelled' });
    const others = ['one', 'two'].map((name) => call(name, 'foreground', { cancellation: new Cancellation() }));
    await end('first');
    assert.equal(running(), 'one');
    for (const name of ['one', 'two']) await end(name);
    assert.deepEqual(await Promise.all(others), ['one', 'two']);
});
