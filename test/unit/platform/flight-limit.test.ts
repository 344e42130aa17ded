import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type FlightLimit, flightLimit, gather } from '../../../platform/gather.ts';

/** Waits until what is planned for the end of this turn, and what that plans, has run. */
async function settled(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** A queue that shares the limit. Its batches end when the test calls `finish`. */
function newQueue(limit: FlightLimit) {
    const sent: number[][] = [];
    const ends: Array<() => void> = [];
    const queue = gather<number>({
        name: `queue ${randomUUID()}`,
        maxBatch: 3,
        maxInFlight: 1,
        flightLimit: limit,
        maxWaiting: 100,
        run(items) {
            sent.push(items);
            return new Promise((resolve) => ends.push(resolve));
        },
    });
    return { ...queue, sent, finish: () => ends.shift()?.() };
}

describe('queues that share a limit', () => {
    it('send at most that many batches together, in the order in which they ask', async () => {
        const limit = flightLimit(2);
        const queues = [newQueue(limit), newQueue(limit), newQueue(limit), newQueue(limit)] as const;
        const [first, second, third, fourth] = queues;
        const batches = () => queues.map(({ sent }) => sent.length);
        for (const { add } of queues) add(1);
        await settled();
        assert.deepEqual(batches(), [1, 1, 0, 0]);
        first.add(2); // asks after the third and the fourth
        for (const [{ finish }, expected] of [
            [first, [1, 1, 1, 0]],
            [second, [1, 1, 1, 1]],
            [third, [2, 1, 1, 1]],
        ] as const) {
            finish();
            await settled();
            assert.deepEqual(batches(), expected);
        }
        fourth.finish();
        await settled();
        second.add(2);
        await settled();
        assert.deepEqual(batches(), [2, 2, 1, 1], 'a free place is taken at once');
    });

    it('let the items join that are added in the turn in which a batch ends', async () => {
        const limit = flightLimit(1);
        const [first, second] = [newQueue(limit), newQueue(limit)];
        for (const { add } of [first, second]) add(1);
        await settled();
        first.finish();
        await new Promise<void>((resolve) => process.nextTick(resolve));
        second.add(2);
        await settled();
        assert.deepEqual(second.sent, [[1, 2]]);
    });

    it('give the place to the next one if the items of the first are not wanted any more', async () => {
        const limit = flightLimit(1);
        const [first, second, third] = [newQueue(limit), newQueue(limit), newQueue(limit)];
        for (const { add } of [first, second, third]) add(1);
        await settled();
        second.retain(() => false);
        first.finish();
        await settled();
        assert.deepEqual([second.sent, third.sent], [[], [[1]]]);
    });
});
