import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Overload, overload } from '../../../../gateway/admission/overload.ts';
import type { Exchange } from '../../../../gateway/http/exchange.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';

interface Offer {
    overload: Overload;
    /** Calls that come in each millisecond, and that can be answered in one, in their order. */
    per_ms: { offered: number; capacity: number };
    for_ms: number;
    /** What a call takes that waits for no other. */
    alone_ms: number;
}

/** A gateway by a clock of its own: what it admitted and refused, and how long the admitted ones took. */
function simulation() {
    let now = 0;
    let busy = 1;
    const queue: Array<{ exchange: Exchange; began: number }> = [];
    return {
        clock: { now: () => now, busy: () => busy },
        /** From now on the calls wait for something else than this process. */
        idle() {
            busy = 0.2;
        },
        run({ overload, per_ms, for_ms, alone_ms }: Offer) {
            const took: number[] = [];
            let refused = 0;
            for (const end = now + for_ms; now < end; now++) {
                for (let call = 0; call < per_ms.offered; call++) {
                    if (overload.isFull()) {
                        refused++;
                        continue;
                    }
                    const exchange = { under_way: false } as Exchange; // all that overload() reads
                    overload.enter(exchange);
                    queue.push({ exchange, began: now });
                }
                for (let call = 0; call < per_ms.capacity; call++) {
                    const first = queue[0];
                    if (!first || now - first.began < alone_ms) break;
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
    it('refuses nothing of a burst', () => {
        const { run, overload } = setUp();
        const burst = run({ overload, per_ms: { offered: 2_000, capacity: 5 }, for_ms: 1, alone_ms: 1 });
        assert.equal(burst.refused, 0);
        const after = run({ overload, per_ms: { offered: 0, capacity: 5 }, for_ms: 500, alone_ms: 1 });
        assert.deepEqual([after.refused, after.waiting], [0, 0]);
    });

    it('refuses nothing of a burst that goes on for a fifth of a second', () => {
        const { run, overload } = setUp();
        const burst = run({ overload, per_ms: { offered: 20, capacity: 10 }, for_ms: 200, alone_ms: 1 });
        const after = run({ overload, per_ms: { offered: 0, capacity: 10 }, for_ms: 1_000, alone_ms: 1 });
        assert.deepEqual([burst.refused, after.refused], [0, 0]);
    });

    it('refuses nothing where all can be answered, however long one call takes', () => {
        const { run, idle, overload } = setUp();
        for (const alone_ms of [1, 80]) {
            if (alone_ms > 1) idle();
            const { refused } = run({ overload, per_ms: { offered: 10, capacity: 10 }, for_ms: 5_000, alone_ms });
            assert.equal(refused, 0);
        }
    });

    it('keeps the queue short at twice what can be answered, and all that can be answered is', () => {
        const { run, overload } = setUp();
        run({ overload, per_ms: { offered: 5, capacity: 10 }, for_ms: 1_000, alone_ms: 2 });
        run({ overload, per_ms: { offered: 20, capacity: 10 }, for_ms: 1_000, alone_ms: 2 }); // it might be a burst
        const { took, refused } = run({ overload, per_ms: { offered: 20, capacity: 10 }, for_ms: 60_000, alone_ms: 2 });
        const p99 = took[Math.floor(took.length * 0.99)] ?? 0;
        assert.ok(p99 <= 40, `p99 of what was admitted: ${p99} ms`);
        assert.ok(took.length >= 0.99 * 600_000, `${took.length} of 600,000 answered`);
        assert.ok(refused > 590_000);
    });

    it('admits 256 calls at a time, however slow they are', () => {
        const { run, overload } = setUp();
        run({ overload, per_ms: { offered: 1, capacity: 1 }, for_ms: 1_000, alone_ms: 1 });
        const { refused } = run({ overload, per_ms: { offered: 1, capacity: 1 }, for_ms: 254, alone_ms: 1_000 });
        assert.equal(refused, 0);
    });

    it('admits everything again when nothing has had to be refused for half a second', () => {
        const { run, overload } = setUp();
        const flood = run({ overload, per_ms: { offered: 20, capacity: 1 }, for_ms: 5_000, alone_ms: 1 });
        assert.ok(flood.refused > 0);
        run({ overload, per_ms: { offered: 0, capacity: 10 }, for_ms: 1_000, alone_ms: 1 });
        const burst = run({ overload, per_ms: { offered: 1_000, capacity: 1 }, for_ms: 1, alone_ms: 1 });
        assert.equal(burst.refused, 0);
    });

    it('admits everything again when the event loop has time, though calls that never end hold all places', () => {
        const { run, idle, overload } = setUp();
        run({ overload, per_ms: { offered: 20, capacity: 1 }, for_ms: 1_000, alone_ms: 1 });
        idle();
        const stuck = run({ overload, per_ms: { offered: 1, capacity: 0 }, for_ms: 600, alone_ms: 1 });
        assert.ok(stuck.refused > 0);
        const { refused } = run({ overload, per_ms: { offered: 1, capacity: 0 }, for_ms: 600, alone_ms: 1 });
        assert.equal(refused, 0);
    });

    it('forgets a call that turns out to wait for something else', () => {
        const { overload } = setUp();
        const hashing = Array.from({ length: 10_000 }, () => ({ under_way: false }) as Exchange); // as above
        for (const exchange of hashing) {
            assert.equal(overload.isFull(), false);
            overload.enter(exchange);
            overload.leave(exchange);
        }
    });
});
