import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Overload, overload } from '../../../../gateway/admission/overload.ts';
import type { Exchange } from '../../../../gateway/http/exchange.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';

interface Offer {
    overload: Overload;
    /** Calls that arrive in each millisecond, and calls that can be answered in one, in order of arrival. */
    perMs: { offered: number; capacity: number };
    forMs: number;
    /** Duration of a call that waits for no other call, in milliseconds. */
    aloneMs: number;
}

/** Simulates a gateway with its own clock. `run` returns how long admitted calls took, and how many were refused. */
function simulation() {
    let now = 0;
    let busy = 1;
    const queue: Array<{ exchange: Exchange; began: number }> = [];
    return {
        clock: { now: () => now, busy: () => busy },
        /** From now on this process is idle, because calls wait for something else. */
        idle() {
            busy = 0.2;
        },
        run({ overload, perMs, forMs, aloneMs }: Offer) {
            const took: number[] = [];
            let refused = 0;
            for (const end = now + forMs; now < end; now++) {
                for (let call = 0; call < perMs.offered; call++) {
                    if (overload.isFull()) {
                        refused++;
                        continue;
                    }
                    const exchange = { underWay: 0 } as Exchange; // all that overload() reads
                    overload.enter(exchange);
                    queue.push({ exchange, began: now });
                }
                for (let call = 0; call < perMs.capacity; call++) {
                    const first = queue[0];
                    if (!first || now - first.began < aloneMs) break;
                    queue.shift();
                    overload.leave(first.exchange);
                    took.push(now - first.began);
                }
            }
            return { took: took.sort((a, b) => a - b), refused, waiting: queue.length };
        },
    };
}

function setUp() {
    const simulated = simulation();
    return { ...simulated, overload: overload(createMetrics(), simulated.clock) };
}

describe('overload', () => {
    it('refuses no call of a burst', () => {
        const { run, overload } = setUp();
        const burst = run({ overload, perMs: { offered: 2_000, capacity: 5 }, forMs: 1, aloneMs: 1 });
        assert.equal(burst.refused, 0);
        const after = run({ overload, perMs: { offered: 0, capacity: 5 }, forMs: 500, aloneMs: 1 });
        assert.deepEqual([after.refused, after.waiting], [0, 0]);
    });

    it('refuses no call of a burst that lasts a fifth of a second', () => {
        const { run, overload } = setUp();
        const burst = run({ overload, perMs: { offered: 20, capacity: 10 }, forMs: 200, aloneMs: 1 });
        const after = run({ overload, perMs: { offered: 0, capacity: 10 }, forMs: 1_000, aloneMs: 1 });
        assert.deepEqual([burst.refused, after.refused], [0, 0]);
    });

    it('refuses no call if all can be answered, however long one call takes', () => {
        const { run, idle, overload } = setUp();
        for (const aloneMs of [1, 80]) {
            if (aloneMs > 1) idle();
            const { refused } = run({ overload, perMs: { offered: 10, capacity: 10 }, forMs: 5_000, aloneMs });
            assert.equal(refused, 0);
        }
    });

    it('keeps the queue short at twice the capacity, and still uses the whole capacity', () => {
        const { run, overload } = setUp();
        run({ overload, perMs: { offered: 5, capacity: 10 }, forMs: 1_000, aloneMs: 2 });
        run({ overload, perMs: { offered: 20, capacity: 10 }, forMs: 1_000, aloneMs: 2 }); // so far this may be a burst
        const { took, refused } = run({ overload, perMs: { offered: 20, capacity: 10 }, forMs: 60_000, aloneMs: 2 });
        const p99 = took[Math.floor(took.length * 0.99)] ?? 0;
        assert.ok(p99 <= 40, `p99 of admitted calls: ${p99} ms`);
        assert.ok(took.length >= 0.99 * 600_000, `${took.length} of 600,000 answered`);
        assert.ok(refused > 590_000);
    });

    it('admits 256 calls at a time, however slow they are', () => {
        const { run, overload } = setUp();
        run({ overload, perMs: { offered: 1, capacity: 1 }, forMs: 1_000, aloneMs: 1 });
        const { refused } = run({ overload, perMs: { offered: 1, capacity: 1 }, forMs: 254, aloneMs: 1_000 });
        assert.equal(refused, 0);
    });

    it('stops shedding after half a second without a refusal', () => {
        const { run, overload } = setUp();
        const flood = run({ overload, perMs: { offered: 20, capacity: 1 }, forMs: 5_000, aloneMs: 1 });
        assert.ok(flood.refused > 0);
        run({ overload, perMs: { offered: 0, capacity: 10 }, forMs: 1_000, aloneMs: 1 });
        const burst = run({ overload, perMs: { offered: 1_000, capacity: 1 }, forMs: 1, aloneMs: 1 });
        assert.equal(burst.refused, 0);
    });

    it('stops shedding when the event loop is idle, even if calls that never end hold all places', () => {
        const { run, idle, overload } = setUp();
        run({ overload, perMs: { offered: 20, capacity: 1 }, forMs: 1_000, aloneMs: 1 });
        idle();
        const stuck = run({ overload, perMs: { offered: 1, capacity: 0 }, forMs: 600, aloneMs: 1 });
        assert.ok(stuck.refused > 0);
        const { refused } = run({ overload, perMs: { offered: 1, capacity: 0 }, forMs: 600, aloneMs: 1 });
        assert.equal(refused, 0);
    });

    it('does not count a call that turns out to wait for something else', () => {
        const { overload } = setUp();
        const hashing = Array.from({ length: 10_000 }, () => ({ underWay: 0 }) as Exchange); // as above
        for (const exchange of hashing) {
            assert.equal(overload.isFull(), false);
            overload.enter(exchange);
            overload.leave(exchange);
        }
    });

    it('counts a batch as one call for every 32 items, until it ends', () => {
        const { overload } = setUp();
        const batches = Array.from({ length: 256 }, () => ({ underWay: 0 }) as Exchange); // as above
        for (const [index, exchange] of batches.entries()) {
            assert.equal(overload.isFull(), false, `batch ${index}`);
            overload.enter(exchange);
            overload.weigh(exchange, 1_000);
            assert.equal(exchange.underWay, 32);
        }
        assert.equal(overload.isFull(), true);
        for (const exchange of batches) overload.leave(exchange);
        assert.equal(overload.isFull(), false);
        const uncounted = { underWay: 0 } as Exchange; // as above
        overload.weigh(uncounted, 1_000);
        assert.equal(uncounted.underWay, 0);
    });
});
