import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { coalesce } from '../../../platform/batch.ts';
import { gather, overloaded } from '../../../platform/gather.ts';
import { queueStats } from '../../../platform/queue-stats.ts';
import { startTracing } from '../../../platform/telemetry/tracing.ts';
import { type CollectedSpan, startCollector } from '../../support/collector.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A queue with a unique name. Its batches end when the test calls `finish`. */
function newQueue(bounds: { maxBatch?: number; maxWaiting?: number; weigh?: boolean } = {}) {
    const name = `queue ${randomUUID()}`;
    const sent: number[][] = [];
    const ends: Array<() => void> = [];
    const queue = gather<number>({
        name,
        maxBatch: bounds.maxBatch ?? 3,
        maxInFlight: 1,
        maxWaiting: bounds.maxWaiting ?? 100,
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
    it('sends items after it has been idle just as it sends the first items', async () => {
        const { add, finish, sent } = newQueue();
        for (const item of [1, 2, 3]) {
            add(item);
            await settled();
            await finish();
        }
        assert.deepEqual(sent, [[1], [2], [3]]);
    });

    it('schedules one send for all items of a turn, and none while a batch is in flight', async (t) => {
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

    it('lets a batch reach its maximum weight exactly', async () => {
        const { add, finish, sent } = newQueue({ weigh: true });
        for (const item of [4, 6, 1]) add(item);
        await settled();
        await finish();
        assert.deepEqual(sent, [[4, 6], [1]]);
    });

    it('counts waiting items, and drops those that retain() rejects', async () => {
        const { add, retain, waiting, finish, sent, stats } = newQueue();
        for (const item of [1, 2]) add(item);
        assert.deepEqual([waiting(), stats.waiting], [2, 2]);
        for (const item of [3, 4, 5, 6]) add(item);
        assert.deepEqual([waiting(), stats.waiting], [3, 3], 'a full batch leaves at once');
        retain((item) => item !== 5);
        assert.deepEqual([waiting(), stats.waiting], [2, 2]);
        await finish();
        assert.deepEqual(sent, [
            [1, 2, 3],
            [4, 6],
        ]);
        assert.deepEqual([waiting(), stats.waiting], [0, 0]);
    });

    it('counts its items, its batches and its refusals', async () => {
        const { add, finish, stats } = newQueue({ maxWaiting: 2 });
        for (const item of [1, 2]) add(item);
        assert.throws(() => add(3), { kind: 'unavailable' });
        await settled();
        await finish();
        assert.deepEqual(stats, { waiting: 0, items: 2, batches: 1, refused: 1 });
    });

    it('names itself in the reason that is logged, but not in the text for the caller, when it is full', () => {
        const { detail, reason, retry_after } = overloaded('a queue');
        assert.equal(detail, 'The service is at capacity. Try again shortly.');
        assert.equal(retry_after, 1);
        assert.equal(reason, 'queue a queue');
    });
});

describe('the coalescer', () => {
    const bounds = { maxBatch: 3, maxInFlight: 1, maxWaiting: 100 };

    it('counts waiting calls', async () => {
        const call = coalesce<number, number>({ ...bounds, name: 'test', run: async (items) => items });
        const calls = [call(1), call(2)];
        assert.equal(call.waiting(), 2);
        await Promise.all(calls);
        assert.equal(call.waiting(), 0);
    });

    it('fails all calls of a batch with the error of the batch if bisectOn is not set', async () => {
        const failure = new Error('lost');
        const call = coalesce<number, number>({ ...bounds, name: 'test', run: () => Promise.reject(failure) });
        for (const result of await Promise.allSettled([call(1), call(2)])) {
            assert.equal(result.status === 'rejected' && result.reason, failure);
        }
    });

    const PARENT = { traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01' };

    /** The spans of three calls in one batch, of which the second call fails. */
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

    it('gives each call a span with the size of its batch, and with the error if it failed', async (t) => {
        const spans = await spansOfThree(t, 'postgresql');
        assert.deepEqual(
            spans.map(({ name, kind, attributes }) => [name, kind, attributes['batch.size']]),
            [1, 2, 3].map(() => ['three', 3, 3]), // 3 is OTLP's number for a client span
        );
        assert.ok(spans.every(({ attributes }) => attributes['db.system.name'] === 'postgresql'));
        assert.equal(spans.filter(({ attributes }) => 'error.type' in attributes).length, 1);
    });

    it('names no database in the span of a call that uses none', async (t) => {
        const spans = await spansOfThree(t);
        assert.equal(spans.length, 3);
        assert.ok(spans.every(({ attributes }) => !('db.system.name' in attributes)));
    });

    it('gives each call of a batch that failed as a whole a span with the error', async (t) => {
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

    it('ends the span of a call that its full queue refuses, with the error', async (t) => {
        const collector = await startCollector();
        t.after(() => collector.stop());
        const log = pino({ enabled: false });
        const tracing = await startTracing({ endpoint: collector.url, sample: 1, service: 'test', log });
        const call = coalesce<number, number>({ ...bounds, name: 'full', maxWaiting: 1, run: async (items) => items });
        await Promise.allSettled([call(1, PARENT), call(2, PARENT)]);
        await tracing.stop();
        const spans = collector.spans();
        assert.equal(spans.length, 2);
        assert.deepEqual(spans.map(({ attributes }) => attributes['error.type']).sort(), ['unavailable', undefined]);
    });
});
