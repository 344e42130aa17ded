import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { coalesce, gather, overloaded } from '../../../platform/batch.ts';
import { queueStats } from '../../../platform/queue-stats.ts';
import { startTracing } from '../../../platform/telemetry/tracing.ts';
import { type CollectedSpan, startCollector } from '../../support/collector.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A queue of its own name, whose batches end when the test says so. */
function newQueue(bounds: { max_batch?: number; max_waiting?: number; weigh?: boolean } = {}) {
    const name = `queue ${randomUUID()}`;
    const sent: number[][] = [];
    const ends: Array<() => void> = [];
    const queue = gather<number>({
        name,
        max_batch: bounds.max_batch ?? 3,
        max_in_flight: 1,
        max_waiting: bounds.max_waiting ?? 100,
        ...(bounds.weigh && { weight: { of: (item) => item, max: 10 } }),
        run(items) {
            sent.push(items);
            return new Promise((resolve) => ends.push(resolve));
        },
    });
    const finish = async (): Promise<void> => {
        ends.shift()?.();
        await settled();
    };
    return { ...queue, sent, finish, stats: queueStats(name) };
}

describe('a queue', () => {
    it('sends what comes after it has been idle, as it sent what came first', async () => {
        const { add, finish, sent } = newQueue();
        for (const item of [1, 2, 3]) {
            add(item);
            await settled();
            await finish();
        }
        assert.deepEqual(sent, [[1], [2], [3]]);
    });

    it('plans one end of a turn for all that the turn brings, and none while a batch is in flight', async (t) => {
        const { add, finish, sent } = newQueue();
        const planned = t.mock.method(globalThis, 'setImmediate');
        for (const item of [1, 2, 3]) add(item);
        assert.equal(planned.mock.callCount(), 1);
        await settled();
        planned.mock.resetCalls();
        for (const item of [4, 5]) add(item);
        assert.equal(planned.mock.callCount(), 0);
        await finish();
        assert.deepEqual(sent, [
            [1, 2, 3],
            [4, 5],
        ]);
    });

    it('lets a batch weigh exactly what it may', async () => {
        const { add, finish, sent } = newQueue({ weigh: true });
        for (const item of [4, 6, 1]) add(item);
        await settled();
        await finish();
        assert.deepEqual(sent, [[4, 6], [1]]);
    });

    it('tells what waits, and drops of that what is no longer wanted', async () => {
        const { add, retain, waiting, finish, sent, stats } = newQueue();
        for (const item of [1, 2, 3, 4, 5, 6]) add(item);
        assert.deepEqual([waiting(), stats.waiting], [6, 6]);
        await settled();
        assert.deepEqual([waiting(), stats.waiting], [3, 3]);
        retain((item) => item !== 5);
        assert.deepEqual([waiting(), stats.waiting], [2, 2]);
        await finish();
        assert.deepEqual(sent, [
            [1, 2, 3],
            [4, 6],
        ]);
        assert.deepEqual([waiting(), stats.waiting], [0, 0]);
    });

    it('counts its items, its batches, and what it has turned away', async () => {
        const { add, finish, stats } = newQueue({ max_waiting: 4 });
        for (const item of [1, 2, 3, 4]) add(item);
        assert.throws(() => add(5), { kind: 'unavailable' });
        await settled();
        await finish();
        assert.deepEqual(stats, { waiting: 0, items: 4, batches: 2, refused: 1 });
    });

    it('names itself to the log, and not to the caller, when it is full', () => {
        const { detail, cause, retry_after } = overloaded('a queue');
        assert.equal(detail, 'The service is at capacity. Try again shortly.');
        assert.equal(retry_after, 1);
        assert.match(String(cause), /queue a queue is full/);
    });
});

describe('the coalescer', () => {
    const bounds = { max_batch: 3, max_in_flight: 1, max_waiting: 100 };

    it('tells how many calls wait', async () => {
        const call = coalesce<number, number>({ ...bounds, name: 'test', run: async (items) => items });
        const calls = [call(1), call(2)];
        assert.equal(call.waiting(), 2);
        await Promise.all(calls);
        assert.equal(call.waiting(), 0);
    });

    it('fails all calls of a batch with what it failed with, where nobody says when to halve it', async () => {
        const failure = new Error('lost');
        const call = coalesce<number, number>({ ...bounds, name: 'test', run: () => Promise.reject(failure) });
        for (const result of await Promise.allSettled([call(1), call(2)])) {
            assert.equal(result.status === 'rejected' && result.reason, failure);
        }
    });

    const PARENT = { traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01' };

    /** The spans of three calls that go together, of which the second fails, by the item of each. */
    async function spansOfThree(t: TestContext, system?: string): Promise<CollectedSpan[]> {
        const collector = await startCollector();
        t.after(() => collector.stop());
        const log = pino({ enabled: false });
        const tracing = await startTracing({ endpoint: collector.url, sample: 1, service: 'test', log });
        const run = async (items: number[]) => items.map((item) => (item === 2 ? new Error('no') : item));
        const call = coalesce<number, number>({ ...bounds, name: 'three', ...(system && { system }), run });
        await Promise.allSettled([1, 2, 3].map((item) => call(item, PARENT)));
        await tracing.stop();
        return collector.spans();
    }

    it('gives each call a span, with the size of its batch, and to one that failed its error', async (t) => {
        const spans = await spansOfThree(t, 'postgresql');
        assert.deepEqual(
            spans.map(({ name, kind, attributes }) => [name, kind, attributes['batch.size']]),
            [1, 2, 3].map(() => ['three', 3, 3]), // 3 is OTLP's number of a client's span
        );
        assert.ok(spans.every(({ attributes }) => attributes['db.system.name'] === 'postgresql'));
        assert.equal(spans.filter(({ attributes }) => 'error.type' in attributes).length, 1);
    });

    it('names no database in the span of a call that goes to none', async (t) => {
        const spans = await spansOfThree(t);
        assert.equal(spans.length, 3);
        assert.ok(spans.every(({ attributes }) => !('db.system.name' in attributes)));
    });

    it('gives a span to each call of a batch that failed as a whole', async (t) => {
        const collector = await startCollector();
        t.after(() => collector.stop());
        const log = pino({ enabled: false });
        const tracing = await startTracing({ endpoint: collector.url, sample: 1, service: 'test', log });
        const call = coalesce<number, number>({ ...bounds, name: 'none', run: () => Promise.reject(new Error('no')) });
        await Promise.allSettled([call(1, PARENT), call(2, PARENT)]);
        await tracing.stop();
        const failed = collector.spans().filter(({ attributes }) => 'error.type' in attributes);
        assert.equal(failed.length, 2);
    });
});
