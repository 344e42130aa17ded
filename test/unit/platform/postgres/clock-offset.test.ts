import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { measureClock } from '../../../../platform/postgres/clock-offset.store.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { createReadiness } from '../../../../platform/telemetry/readiness.ts';
import { quiet } from '../../../support/harness.ts';

/** Measures with `read`, and returns after the first measurement has failed or succeeded. */
async function measured(t: TestContext, read: () => Promise<number>) {
    const metrics = createMetrics();
    const readiness = createReadiness({ log: quiet });
    readiness.serving = true;
    t.after(measureClock(read, { metrics, log: quiet, readiness }));
    await turn();
    return {
        failing: () => readiness.failingChecks(),
        offsetS: async () => Number(/^clock_offset_seconds (\S+)$/m.exec((await metrics.expose()).text)?.[1]),
    };
}

describe('the clock of a process', () => {
    for (const offsetS of [0, 4.9, -4.9]) {
        it(`may be ${offsetS} s off, which is exported`, async (t) => {
            const clock = await measured(t, async () => Date.now() + offsetS * 1_000);
            assert.ok(Math.abs((await clock.offsetS()) - offsetS) < 0.1);
            assert.deepEqual(await clock.failing(), []);
        });
    }

    for (const [offsetS, where] of [
        [5.2, 'behind'],
        [-5.2, 'ahead of'],
    ] as const) {
        it(`that is ${offsetS} s off makes the process unready, with the reason`, async (t) => {
            const { failing } = await measured(t, async () => Date.now() + offsetS * 1_000);
            const reason = `clock: this machine’s clock is 5.2 s ${where} the database’s; at most 5 are allowed`;
            assert.deepEqual(await failing(), [reason]);
        });
    }

    it('is unknown until it has been compared, which is tried again after a failure', async (t) => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        let asked = 0;
        const clock = await measured(t, async () => {
            if (asked++ === 0) throw new Error('away');
            return Date.now();
        });
        assert.ok(Number.isNaN(await clock.offsetS()));
        assert.deepEqual(await clock.failing(), ['clock: the clock has not been compared with the database’s yet']);
        t.mock.timers.tick(1_000);
        await turn();
        assert.deepEqual([asked, await clock.failing()], [2, []]);
    });

    it('is compared again every 30 s', async (t) => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        let offsetMs = 0;
        const clock = await measured(t, async () => Date.now() + offsetMs);
        offsetMs = 60_000;
        t.mock.timers.tick(30_000);
        await turn();
        assert.equal((await clock.failing()).length, 1);
    });
});
