import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { BoundedQueue, CallerPlaces, Places } from '../../../platform/bounded-queue.ts';
import { Cancellation } from '../../../platform/context.ts';
import { queueStats } from '../../../platform/queue-stats.ts';

describe('a bounded queue', { timeout: 30_000 }, () => {
    it('releases its calls in order, and says when none waits', async () => {
        const queue = new BoundedQueue({ name: 'ordered', maxWaiting: 2 });
        const seen: string[] = [];
        const calls = ['first', 'second'].map((name) => queue.wait({}).then(() => seen.push(name)));
        assert.equal(queue.size, 2);
        assert.deepEqual([queue.release(), queue.release(), queue.release()], ['', '', undefined]);
        await Promise.all(calls);
        assert.deepEqual(seen, ['first', 'second']);
        assert.deepEqual(queueStats('ordered'), { waiting: 0, items: 2, batches: 2, refused: 0 });
    });

    it('refuses calls beyond its bound', async () => {
        const queue = new BoundedQueue({ name: 'bounded', maxWaiting: 1 });
        void queue.wait({});
        await assert.rejects(queue.wait({}), { kind: 'unavailable', retry_after: 1 });
        assert.deepEqual(queueStats('bounded'), { waiting: 1, items: 1, batches: 0, refused: 1 });
    });

    it('lets callers take turns, however many calls one of them has', async () => {
        const queue = new BoundedQueue({ name: 'fair', maxWaiting: 10 });
        const seen: string[] = [];
        for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
            void queue.wait({}, name.slice(0, 1)).then(() => seen.push(name));
        while (queue.release());
        await setImmediate();
        assert.deepEqual(seen, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
        assert.equal(queue.size, 0);
    });

    it('refuses, when it is full, the newest call of the caller with the most calls', async () => {
        const queue = new BoundedQueue({ name: 'displaced', maxWaiting: 4 });
        const outcomes: string[] = [];
        const wait = (name: string) =>
            queue.wait({}, name.slice(0, 1)).then(
                () => outcomes.push(name),
                ({ kind }) => outcomes.push(`${name} ${kind}`),
            );
        const calls = ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'd1'].map(wait);
        while (queue.release());
        await Promise.all(calls);
        // c1 displaces a3. a4, and b2, would give their callers as many calls as any has. d1 displaces a2.
        assert.deepEqual(outcomes, [
            'a3 unavailable',
            'a4 unavailable',
            'b2 unavailable',
            'a2 unavailable',
            'a1',
            'b1',
            'c1',
            'd1',
        ]);
        assert.deepEqual(queueStats('displaced'), { waiting: 0, items: 6, batches: 4, refused: 4 });
    });

    it('drops a call at once when it is cancelled, and soon after its deadline', async () => {
        const queue = new BoundedQueue({ name: 'left', maxWaiting: 3 });
        const cancellation = new Cancellation();
        const cancelled = queue.wait({ cancellation });
        const late = queue.wait({ deadline: performance.now() + 50 });
        const patient = queue.wait({ deadline: performance.now() + 60_000 });
        cancellation.cancel();
        assert.equal(queue.size, 2);
        await assert.rejects(cancelled, { kind: 'cancelled' });
        await assert.rejects(late, { kind: 'deadline' });
        assert.equal(queue.size, 1);
        assert.equal(queue.release(), '');
        await patient;
    });
});

describe('places', { timeout: 30_000 }, () => {
    it('run as many calls at once as there are places, the others in order of arrival', async () => {
        const places = new Places({ places: 2, name: 'shared places', maxWaiting: 10 });
        const ends: Array<() => void> = [];
        const started: number[] = [];
        const calls = [0, 1, 2, 3].map((index) =>
            places.run(() => {
                started.push(index);
                return new Promise<void>((resolve) => ends.push(resolve));
            }, {}),
        );
        assert.deepEqual([started, places.waiting], [[0, 1], 2]);
        for (let index = 0; index < 4; index++) {
            ends[index]?.();
            await setImmediate();
        }
        await Promise.all(calls);
        assert.deepEqual([started, places.isEmpty], [[0, 1, 2, 3], true]);
    });

    it('leave some to others while a caller has its share, and pass a place on to those who may have it', async () => {
        const places = new Places({ places: 3, perCaller: 2, name: 'apart', maxWaiting: 10 });
        const running: string[] = [];
        const ends = new Map<string, () => void>();
        const run = (name: string, caller?: string) =>
            places.run(
                () => {
                    running.push(name);
                    return new Promise<void>((resolve) => ends.set(name, resolve));
                },
                {},
                caller,
            );
        const calls = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => run(name, name[0]));
        assert.deepEqual([running, places.waiting], [['a1', 'a2', 'b1'], 2]);
        ends.get('b1')?.();
        await setImmediate();
        assert.deepEqual(running, ['a1', 'a2', 'b1', 'b2']);
        ends.get('b2')?.();
        await setImmediate();
        assert.equal(running.length, 4, 'a free place is not for a caller that has its share');
        for (const index of [1, 2, 3]) calls.push(run(`own${index}`));
        ends.get('a1')?.();
        await setImmediate();
        assert.deepEqual(running.slice(4), ['own1', 'a3']);
        for (const name of ['a2', 'a3', 'own1']) {
            ends.get(name)?.();
            await setImmediate();
        }
        for (const name of ['own2', 'own3']) ends.get(name)?.();
        await Promise.all(calls);
        assert.equal(places.isEmpty, true);
    });

    it('run a call that need not wait, even if it is cancelled: it may have begun its work elsewhere', async () => {
        const places = new Places({ places: 1, name: 'begun', maxWaiting: 10 });
        const cancellation = new Cancellation();
        cancellation.cancel();
        assert.equal(await places.run(async () => 'ran', { cancellation, deadline: 0 }), 'ran');
    });

    it('are free again after a call that fails, and after one whose deadline passes as it is released', async () => {
        const places = new Places({ places: 1, name: 'freed', maxWaiting: 10 });
        const held = Promise.withResolvers<void>();
        const failing = places.run(() => held.promise, {});
        const soon = performance.now() + 60;
        const late = places.run(async () => assert.fail('it runs after its deadline'), { deadline: soon });
        const lateEnd = assert.rejects(late, { kind: 'deadline' });
        while (performance.now() < soon - 20) await setImmediate(); // 20 ms is what a hop takes from a deadline
        held.reject(new Error('broken'));
        await assert.rejects(failing, /broken/);
        await lateEnd;
        assert.equal(places.isEmpty, true);
    });
});

it('places of one caller stay while a call of it runs, also when some are refused as others end', async () => {
    const places = new CallerPlaces({ places: 1, name: 'alone', maxWaiting: 0 });
    let [running, most] = [0, 0];
    const ticks = async (count: number): Promise<void> => {
        for (let tick = 0; tick < count; tick++) await undefined;
    };
    const run = async (): Promise<void> => {
        most = Math.max(most, ++running);
        await ticks(4);
        running--;
    };
    const calls = Array.from({ length: 100 }, async (_, index) => {
        await ticks(index);
        await places.run('somebody', run, {}).catch(() => {});
    });
    await Promise.all(calls);
    assert.deepEqual([most, places.waiting('somebody')], [1, 0]);
});
