import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type RequestBatch, requestCounts } from '../../../../platform/access/request-counts.ts';
import { NIL_ID } from '../../../../platform/ids.ts';
import type { Log } from '../../../../platform/telemetry/log.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';

const NOON = Date.parse('2031-05-14T12:00:00.000Z');
const SESSION = { user_id: 'account' };
const KEY = { user_id: 'account', key_id: 'key' };

/** Counts whose timers and clocks the test moves. The usage service takes batches unless `service.fails`. */
function setUp(t: TestContext) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const clock = { now: NOON };
    const monotonic = { now: 1_000 };
    t.mock.method(performance, 'now', () => monotonic.now);
    const service = { fails: false };
    const seen: RequestBatch[] = [];
    const warnings: string[] = [];
    const metrics = createMetrics();
    const counts = requestCounts({
        async record(batch) {
            seen.push(batch);
            await turn();
            if (service.fails) throw new Error('away');
        },
        clock: () => clock.now,
        // It uses nothing else of the log.
        log: { warn: (_fields: unknown, text: string) => warnings.push(text) } as unknown as Log,
        metrics,
    });
    /** Moves the timers to the end of an interval, and waits for what is then sent. */
    async function pass(ms = 1_500): Promise<void> {
        monotonic.now += ms;
        t.mock.timers.tick(ms);
        for (let step = 0; step < 8; step++) await turn();
    }
    const requests = () => seen.map((batch) => batch.counts.reduce((sum, count) => sum + count.requests, 0));
    const lost = async () => /^request_counts_lost_total (\d+)$/m.exec((await metrics.expose()).text)?.[1];
    return { counts, clock, service, seen, warnings, pass, requests, lost };
}

describe('requests are counted in memory', () => {
    it('and sent in one batch 1.5 s after the first one, by key, by account and for nobody', async (t) => {
        const { counts, clock, seen, pass } = setUp(t);
        counts.admitted(KEY, 1);
        clock.now += 5;
        counts.admitted(KEY, 3);
        counts.refused(KEY);
        counts.refused(SESSION);
        counts.loggedIn('account');
        counts.verifiedPresentation({ user_id: undefined });
        await pass(1_499);
        assert.equal(seen.length, 0);
        await pass(1);
        const none = { requests: 0, refused: 0, verified: 0, logins: 0, last_used_at_ms: 0 };
        const [batch, ...more] = seen;
        assert.deepEqual(more, []);
        assert.deepEqual(
            [batch?.day, batch?.counts],
            [
                '2031-05-14',
                [
                    {
                        account: 'account',
                        key_id: 'key',
                        requests: 4,
                        refused: 1,
                        verified: 0,
                        logins: 0,
                        last_used_at_ms: NOON + 5,
                    },
                    { ...none, account: 'account', key_id: undefined, refused: 1, logins: 1 },
                    { ...none, account: NIL_ID, key_id: undefined, verified: 1 },
                ],
            ],
        );
        await pass();
        assert.equal(seen.length, 1, 'nothing is sent while nobody calls');
    });

    it('and those of two days go in two batches, whichever way the clock moves over midnight', async (t) => {
        const { counts, clock, seen, pass, requests } = setUp(t);
        clock.now = Date.parse('2031-05-14T23:59:59.999Z');
        counts.admitted(KEY, 1);
        clock.now += 1;
        counts.admitted(KEY, 2);
        clock.now -= 1;
        counts.admitted(KEY, 4);
        await pass();
        await pass();
        assert.deepEqual(
            seen.map(({ day }) => day),
            ['2031-05-14', '2031-05-15', '2031-05-14'],
        );
        assert.deepEqual(requests(), [1, 2, 4]);
    });

    it('and the counts of more than 5,000 callers go in several batches', async (t) => {
        const { counts, seen, pass } = setUp(t);
        for (let caller = 0; caller < 5_001; caller++) counts.admitted({ user_id: `${caller}` }, 1);
        await pass();
        await pass();
        assert.deepEqual(
            seen.map((batch) => batch.counts.length),
            [5_000, 1],
        );
    });
});

describe('a batch that failed', () => {
    it('is repeated as it was, under its id, until it is recorded; what is counted meanwhile follows', async (t) => {
        const { counts, service, seen, warnings, pass, requests, lost } = setUp(t);
        service.fails = true;
        counts.admitted(KEY, 1);
        await pass();
        counts.admitted(KEY, 2);
        await pass();
        service.fails = false;
        await pass();
        await pass();
        assert.deepEqual(requests(), [1, 1, 1, 2]);
        assert.equal(new Set(seen.slice(0, 3).map(({ batch_id }) => batch_id)).size, 1);
        assert.notEqual(seen[3]?.batch_id, seen[0]?.batch_id);
        assert.equal(warnings.length, 1, 'one line for the outage');
        assert.equal(await lost(), '0');
    });

    it('is given up after an hour, and the metric shows its requests as lost', async (t) => {
        const { counts, service, seen, pass, lost } = setUp(t);
        service.fails = true;
        counts.admitted(KEY, 7);
        await pass();
        await pass(3_598_500);
        const tries = seen.length;
        await pass(1_501);
        assert.deepEqual([seen.length, await lost()], [tries, '7']);
    });

    it('does not let the memory grow: of twenty waiting batches the oldest is lost', async (t) => {
        const { counts, service, pass, requests, lost } = setUp(t);
        service.fails = true;
        counts.admitted({ user_id: 'first' }, 3);
        await pass();
        for (let caller = 0; caller <= 20 * 5_000; caller++) counts.admitted({ user_id: `${caller}` }, 1);
        assert.equal(await lost(), '3');
        service.fails = false;
        for (let second = 0; second < 25; second++) await pass();
        assert.equal(
            requests().reduce((sum, number) => sum + number, 0),
            3 + 20 * 5_000 + 1,
        );
    });
});

describe('a stop', () => {
    it('sends what is counted, after the batch that is on its way', async (t) => {
        const { counts, pass, requests } = setUp(t);
        counts.admitted(KEY, 1);
        void pass();
        counts.admitted(KEY, 2);
        await counts.stop();
        assert.deepEqual(requests(), [1, 2]);
    });

    it('does not wait for a usage service that is away, and does not try again', async (t) => {
        const { counts, service, seen, pass } = setUp(t);
        service.fails = true;
        counts.admitted(KEY, 1);
        await counts.stop();
        assert.equal(seen.length, 1);
        await pass();
        assert.equal(seen.length, 1);
    });
});
