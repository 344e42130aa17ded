import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CoalesceOptions, coalesce } from '../../../platform/batch.ts';
import { Cancellation } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';

/** A coalescer whose batches end when the test ends them. */
function controlled(options: Partial<CoalesceOptions<number, number>> = {}) {
    const batches: Array<{ items: number[]; finish(results?: Array<number | Error>): void; fail(error: Error): void }> =
        [];
    const call = coalesce<number, number>({
        name: 'test',
        maxBatch: 3,
        maxInFlight: 1,
        maxWaiting: 100,
        run: (items) =>
            new Promise((resolve, reject) => {
                batches.push({ items, finish: (results = items) => resolve(results), fail: reject });
            }),
        ...options,
    });
    return { call, batches };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the coalescer', { timeout: 10_000 }, () => {
    it('sends all calls of one turn of the event loop together, at the end of the turn', async () => {
        const { call, batches } = controlled();
        void call(1);
        void Promise.resolve().then(() => call(2));
        assert.equal(batches.length, 0);
        await settled();
        assert.deepEqual(
            batches.map(({ items }) => items),
            [[1, 2]],
        );
    });

    it('sends a batch as soon as it is worth sending, before the end of the turn', async () => {
        const { call, batches } = controlled({ maxBatch: 5, eagerBatch: 2, maxInFlight: 2 });
        const sent = () => batches.map(({ items }) => items);
        for (const item of [1, 2, 3]) void call(item);
        assert.deepEqual(sent(), [[1, 2]]);
        await settled();
        assert.deepEqual(sent(), [[1, 2], [3]], 'fewer items leave at the end of the turn');
        for (const item of [4, 5, 6]) void call(item);
        await settled();
        assert.equal(batches.length, 2, 'no more than two batches are in flight');
        batches[0]?.finish();
        await settled();
        assert.deepEqual(sent()[2], [4, 5, 6], 'what has waited leaves in one batch');
    });

    it('gathers the calls that arrive while a batch is in flight, up to the largest batch', async () => {
        const { call, batches } = controlled();
        void call(1);
        await settled();
        for (const item of [2, 3, 4, 5]) void call(item);
        batches[0]?.finish();
        await settled();
        assert.deepEqual(
            batches.map(({ items }) => items),
            [[1], [2, 3, 4]],
        );
        batches[1]?.finish();
        await settled();
        assert.deepEqual(batches[2]?.items, [5]);
    });

    it('never exceeds the maximum number of batches in flight', async () => {
        const { call, batches } = controlled({ maxInFlight: 2 });
        for (const item of [1, 2, 3, 4, 5, 6, 7]) void call(item);
        await settled();
        assert.deepEqual(
            batches.map(({ items }) => items),
            [
                [1, 2, 3],
                [4, 5, 6],
            ],
        );
        batches[1]?.finish();
        await settled();
        assert.deepEqual(batches[2]?.items, [7]);
    });

    it('keeps a batch within its maximum weight, but sends a heavier item alone', async () => {
        const { call, batches } = controlled({ weight: { of: (item) => item, max: 10 } });
        for (const item of [1, 6, 5, 50, 2]) void call(item);
        for (let batch = 0; batch < 4; batch++) {
            await settled();
            batches[batch]?.finish();
        }
        assert.deepEqual(
            batches.map(({ items }) => items),
            [[1, 6], [5], [50], [2]],
        );
    });

    it('does not run a call that was cancelled or is past its deadline when its turn comes', async () => {
        const { call, batches } = controlled();
        void call(1);
        await settled();
        const cancellation = new Cancellation();
        const gone = assert.rejects(call(2, { cancellation }), { kind: 'cancelled' });
        const late = assert.rejects(call(3, { deadline: performance.now() }), { kind: 'deadline' });
        void call(4, { cancellation: new Cancellation(), deadline: performance.now() + 60_000 });
        const goneToo = assert.rejects(call(5, { cancellation }), { kind: 'cancelled' });
        cancellation.cancel();
        batches[0]?.finish();
        await Promise.all([gone, late]);
        assert.deepEqual(batches[1]?.items, [4]);
        batches[1]?.finish();
        await goneToo;
        assert.equal(batches.length, 2, 'an empty batch is not run');
    });

    it('gives each caller its own result, and fails only the call whose item has an error', async () => {
        const { call, batches } = controlled();
        const results = Promise.allSettled([call(1), call(2), call(3)]);
        await settled();
        batches[0]?.finish([10, new Error('second'), 30]);
        assert.deepEqual(
            (await results).map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
            [10, 'second', 30],
        );
    });

    it('refuses calls beyond its queue at once, with a time to wait, and goes on', async () => {
        const { call, batches } = controlled({ maxWaiting: 2 });
        const accepted = [call(1)];
        await settled();
        accepted.push(call(2), call(3));
        await assert.rejects(call(4), (error: AppError) => error.kind === 'unavailable' && error.retry_after === 1);
        batches[0]?.finish();
        await settled();
        batches[1]?.finish();
        assert.deepEqual(await Promise.all(accepted), [1, 2, 3]);
    });

    it('fails all calls of a batch that failed as a whole, and sends the next batch', async () => {
        const { call, batches } = controlled();
        const first = assert.rejects(call(1), /lost/);
        await settled();
        const second = call(2);
        batches[0]?.fail(new Error('lost'));
        await first;
        batches[1]?.finish();
        assert.equal(await second, 2);
    });

    for (const bad of [0, 7, 31]) {
        it(`halves a failing batch until item ${bad} of 32 is alone: the other 31 succeed`, async () => {
            const items = Array.from({ length: 32 }, (_, index) => index);
            const runs: number[] = [];
            const call = coalesce<number, number>({
                name: 'test',
                maxBatch: 32,
                maxInFlight: 1,
                maxWaiting: 100,
                bisectOn: (error) => !(error instanceof AppError),
                async run(batch) {
                    runs.push(batch.length);
                    if (batch.includes(bad)) throw new Error('bad row');
                    return batch;
                },
            });
            const results = await Promise.allSettled(items.map((item) => call(item)));
            assert.deepEqual(
                results.flatMap((result, index) => (result.status === 'rejected' ? [index] : [])),
                [bad],
            );
            assert.equal(runs.length, 11); // the halves on the way to the bad item
        });
    }

    it('does not halve a batch that failed for another reason than its items', async () => {
        let runs = 0;
        const call = coalesce<number, number>({
            name: 'test',
            maxBatch: 32,
            maxInFlight: 1,
            maxWaiting: 100,
            bisectOn: (error) => !(error instanceof AppError),
            async run() {
                runs++;
                throw new AppError('unavailable', 'gone', { reason: 'database' });
            },
        });
        const results = await Promise.allSettled([1, 2, 3].map((item) => call(item)));
        assert.ok(results.every(({ status }) => status === 'rejected'));
        assert.equal(runs, 1);
    });
});
