import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createClock } from '../../../../platform/process/clock.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet } from '../../../support/harness.ts';

function clockOf(t: TestContext) {
    const metrics = createMetrics();
    const clock = createClock({ metrics, log: quiet });
    t.after(() => clock.stop());
    const offsetS = async () => Number(/^clock_offset_seconds (\S+)$/m.exec((await metrics.expose()).text)?.[1]);
    return { clock, offsetS };
}

describe('the clock of a process', { timeout: 20_000 }, () => {
    it('is the clock of the machine until it has been compared, and its check fails until then', async (t) => {
        const { clock, offsetS } = clockOf(t);
        assert.ok(Math.abs(clock.now() - Date.now()) < 1_000);
        assert.ok(Number.isInteger(clock.now()));
        assert.ok(Number.isNaN(await offsetS()));
        await assert.rejects(clock.check(), /has not been compared/);
    });

    it('follows the reference after that, and assumes that it answered in the middle of the round trip', async (t) => {
        const { clock, offsetS } = clockOf(t);
        await clock.follow(async () => {
            await delay(20);
            const now = Date.now() + 120_000;
            await delay(20);
            return now;
        });
        assert.ok(Math.abs(clock.now() - Date.now() - 120_000) < 1_000);
        assert.ok(Math.abs((await offsetS()) - 120) < 1);
        await clock.check();
    });

    it('does not follow a step of the machine’s clock, but reports it', async (t) => {
        const { clock, offsetS } = clockOf(t);
        await clock.follow(async () => Date.now());
        const real = Date.now;
        t.mock.method(Date, 'now', () => real() + 3_600_000);
        assert.ok(Math.abs(clock.now() - real()) < 1_000);
        assert.ok(Math.abs((await offsetS()) + 3_600) < 1);
        await assert.rejects(clock.check(), /60\.0 minutes ahead of the database’s/);
    });

    it('tries again if the reference does not answer', async (t) => {
        const { clock } = clockOf(t);
        let asked = 0;
        await clock.follow(async () => {
            if (asked++ === 0) throw new Error('away');
            return Date.now() - 60_000;
        });
        assert.ok(Math.abs(clock.now() - Date.now() + 60_000) < 1_000);
    });

    it('may differ from the reference by at most ten minutes', async (t) => {
        for (const [minutes, isReady] of [
            [9.9, true],
            [-9.9, true],
            [10.1, false],
            [-10.1, false],
        ] as const) {
            const { clock } = clockOf(t);
            await clock.follow(async () => Date.now() + minutes * 60_000);
            const ready = clock.check().then(
                () => true,
                () => false,
            );
            assert.equal(await ready, isReady, `${minutes} minutes`);
        }
    });
});
