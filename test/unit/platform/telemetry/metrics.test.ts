import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { coalesce } from '../../../../platform/batch.ts';
import { exposeQueues, queueStats } from '../../../../platform/queue-stats.ts';
import { createMetrics, type Metrics } from '../../../../platform/telemetry/metrics.ts';
import { priorityQueue } from '../../../../workers/crypto/priority-queue.ts';

/** The exposed samples of one metric. */
async function samples(metrics: Metrics, name: string): Promise<string[]> {
    const { text } = await metrics.expose();
    return text.split('\n').filter((line) => line.startsWith(name));
}

describe('a collected metric', () => {
    it('shows its source at the time of reading, and drops values that are gone', async () => {
        const metrics = createMetrics();
        const kept = new Map([
            ['a', 1],
            ['b', 2],
        ]);
        const read = () => Array.from(kept, ([which, value]) => ({ labels: { which }, value }));
        metrics.collect({ type: 'counter', name: 'kept_total', help: 'Kept.', labels: ['which'] }, read);
        assert.deepEqual(await samples(metrics, 'kept_total'), ['kept_total{which="a"} 1', 'kept_total{which="b"} 2']);
        kept.delete('a');
        kept.set('b', 5);
        assert.deepEqual(await samples(metrics, 'kept_total'), ['kept_total{which="b"} 5']);
    });

    it('is absent while its source knows no value, with and without labels', async () => {
        const metrics = createMetrics();
        let known: Array<{ labels: Record<never, string>; value: number }> = [{ labels: {}, value: 5 }];
        metrics.collect({ type: 'gauge', name: 'known_seconds', help: 'Known.', labels: [] }, () => known);
        metrics.collect({ type: 'counter', name: 'known_total', help: 'Known.', labels: [] }, () => known);
        assert.deepEqual(await samples(metrics, 'known_'), ['known_seconds 5', 'known_total 5']);
        known = [];
        assert.deepEqual(await samples(metrics, 'known_'), []);
        known = [{ labels: {}, value: 0 }];
        assert.deepEqual(await samples(metrics, 'known_'), ['known_seconds 0', 'known_total 0']);
    });

    it('sums all queues of one name', async () => {
        const metrics = createMetrics();
        exposeQueues(metrics);
        queueStats('shared').items += 2;
        queueStats('shared').refused++;
        assert.deepEqual(await samples(metrics, 'queue_items_total{queue="shared"'), [
            'queue_items_total{queue="shared"} 2',
        ]);
        assert.deepEqual(await samples(metrics, 'queue_refused_total{queue="shared"'), [
            'queue_refused_total{queue="shared"} 1',
        ]);
    });
});

it('a coalescer exposes its waiting items, its accepted items, its batches and its refusals', async () => {
    const metrics = createMetrics();
    exposeQueues(metrics);
    const first = Promise.withResolvers<string[]>();
    const run = (items: string[]) => (items.includes('first') ? first.promise : Promise.resolve(items));
    const call = coalesce<string, string>({ name: 'gathered', maxBatch: 9, maxInFlight: 1, maxWaiting: 2, run });
    const calls = [call('first')];
    await setImmediate();
    calls.push(call('second'), call('third'));
    await assert.rejects(call('fourth'), { kind: 'unavailable' });
    const shown = async () => {
        const lines = await samples(metrics, 'queue_');
        return lines
            .filter((line) => line.includes('"gathered"'))
            .map((line) => line.replace('{queue="gathered"}', ''));
    };
    const totals = ['queue_items_total 3', 'queue_batches_total', 'queue_refused_total 1'];
    assert.deepEqual(await shown(), ['queue_waiting_items 2', totals[0], `${totals[1]} 1`, totals[2]]);
    first.resolve(['first']);
    await Promise.all(calls);
    assert.deepEqual(await shown(), ['queue_waiting_items 0', totals[0], `${totals[1]} 2`, totals[2]]);
});

it('a priority queue exposes its waiting jobs and its started jobs, and reports how long they waited', async () => {
    const metrics = createMetrics();
    exposeQueues(metrics);
    const waits: number[] = [];
    const first = Promise.withResolvers<string>();
    const call = priorityQueue<string, string>({
        name: 'tried',
        run: (name) => (name === 'first' ? first.promise : Promise.resolve(name)),
        slots: 1,
        maxWaiting: 2,
        waited: (_lane, seconds) => waits.push(seconds),
    });
    const calls = [call('first', 'foreground'), call('second', 'foreground')];
    assert.deepEqual(await samples(metrics, 'queue_waiting_items{queue="tried'), [
        'queue_waiting_items{queue="tried_foreground"} 1',
        'queue_waiting_items{queue="tried_background"} 0',
    ]);
    first.resolve('first');
    await Promise.all(calls);
    assert.deepEqual(await samples(metrics, 'queue_waiting_items{queue="tried_f'), [
        'queue_waiting_items{queue="tried_foreground"} 0',
    ]);
    assert.deepEqual(await samples(metrics, 'queue_batches_total{queue="tried_f'), [
        'queue_batches_total{queue="tried_foreground"} 2',
    ]);
    assert.equal(waits.length, 2);
    assert.ok((waits[1] ?? 0) > 0);
});
