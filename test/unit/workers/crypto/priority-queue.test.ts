import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Cancellation } from '../../../../platform/context.ts';
import { AppError } from '../../../../platform/errors.ts';
import { queueStats } from '../../../../platform/queue-stats.ts';
import { priorityQueue } from '../../../../workers/crypto/priority-queue.ts';

/** A priority queue of jobs that end when the test calls `end`. `running` returns the names of the running jobs. */
function controlled(slots: number, maxWaiting: number) {
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
        maxWaiting,
    });
    return {
        call,
        async running() {
            await setImmediate(); // a job begins after the call that gave it a slot
            return [...ends.keys()].join(' ');
        },
        async end(name: string, error?: Error) {
            await setImmediate();
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
    assert.equal(await running(), 'b1 b2');
    for (const name of ['f1', 'f2', 'f3', 'f4']) void call(name, 'foreground');
    assert.equal(await running(), 'b1 b2 f1 f2');
    await end('b1');
    assert.equal(await running(), 'b2 f1 f2 f3', 'a waiting foreground job takes the slot of an ended background job');
    await end('b2');
    assert.equal(await running(), 'f1 f2 f3 f4');
    await end('f1');
    assert.equal(await running(), 'f2 f3 f4 b3');
});

test('with one slot, background jobs run one at a time when nothing else waits', async () => {
    const { call, running, end } = controlled(1, 10);
    void call('b1', 'background');
    void call('b2', 'background');
    void call('f1', 'foreground');
    assert.equal(await running(), 'b1');
    await end('b1');
    assert.equal(await running(), 'f1');
    await end('f1');
    assert.equal(await running(), 'b2');
});

test('foreground jobs may fill every slot', async () => {
    const { call, running } = controlled(3, 10);
    for (const name of ['f1', 'f2', 'f3', 'f4']) void call(name, 'foreground');
    assert.equal(await running(), 'f1 f2 f3');
});

test('each priority refuses jobs beyond its own queue, with a time to wait', async () => {
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
    assert.equal(await running(), 'b1');
});

test('a job that fails frees its slot', async () => {
    const { call, running, end } = controlled(1, 2);
    const failed = assert.rejects(call('f1', 'foreground'), /broken/);
    const next = call('f2', 'foreground');
    await end('f1', new Error('broken'));
    await failed;
    assert.equal(await running(), 'f2');
    await end('f2');
    assert.equal(await next, 'f2');
});

test('a job that is past its deadline when its turn comes is not run, and the jobs behind it are', async () => {
    const { call, running, end } = controlled(1, 10);
    void call('first', 'foreground');
    const soon = performance.now() + 150;
    const late = Promise.allSettled(['late', 'late too'].map((name) => call(name, 'foreground', { deadline: soon })));
    const inTime = call('in time', 'foreground', { deadline: performance.now() + 60_000 });
    while (performance.now() < soon) await setImmediate();
    await end('first');
    assert.equal(await running(), 'in time');
    for (const outcome of await late) {
        assert.ok(outcome.status === 'rejected' && outcome.reason instanceof AppError);
        assert.equal(outcome.reason.kind, 'deadline');
    }
    await end('in time');
    assert.equal(await inTime, 'in time');
});

test('a job whose client disconnects leaves the queue at once, frees its place and is never run', async () => {
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
    assert.equal(await running(), 'one');
    for (const name of ['one', 'two']) await end(name);
    assert.deepEqual(await Promise.all(others), ['one', 'two']);
});

test('callers take turns: by account or, without one, by address', async () => {
    const { call, running, end } = controlled(1, 10);
    const calls = [
        call('busy', 'foreground', { address: '192.0.2.1' }),
        call('one', 'foreground', { address: '192.0.2.1' }),
        call('two', 'foreground', { address: '192.0.2.1' }),
        call('other', 'foreground', { address: '192.0.2.2' }),
        call('account', 'foreground', { address: '192.0.2.1', user_id: 'a' }),
    ];
    for (const name of ['busy', 'one', 'other', 'account', 'two']) {
        assert.equal(await running(), name);
        await end(name);
    }
    await Promise.all(calls);
});
