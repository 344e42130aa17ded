import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { jobMetrics } from '../../../../platform/redis/job-metrics.ts';
import { type Job, scheduleJobs } from '../../../../platform/redis/jobs.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet } from '../../../support/harness.ts';
import { startSentinels } from '../../../support/redis/sentinel.ts';
import { until } from '../../../support/until.ts';

/** The time within which a stop must end (ms): less than the time after which it gives up waiting for BullMQ. */
const PROMPT_MS = 4_000;

const sentinels = await startSentinels();
const leftOpen = openResources();
after(() => sentinels.stop());

function openResources(): number {
    return process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout').length;
}

function schedule(job: Job) {
    const metrics = jobMetrics(createMetrics());
    return scheduleJobs({ redisUrl: sentinels.url, role: 'test', jobs: { job }, log: quiet, metrics });
}

async function loseConnections(): Promise<void> {
    for (const { redis } of sentinels.nodes) await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
}

async function stopsInTime(scheduled: { stop(): Promise<void> }): Promise<boolean> {
    const stopped = scheduled.stop().then(() => true);
    return Promise.race([stopped, delay(PROMPT_MS, false, { ref: false })]);
}

it('jobs stop in time, also while they connect and after they have lost their connection', async () => {
    for (let round = 0; round < 12; round++) {
        let runs = 0;
        const scheduled = schedule({ everyMs: 50, run: async () => runs++ });
        if (round % 3 === 0) await delay(round * 5);
        else await until('the job runs', () => runs > 0);
        if (round % 3 === 1) await loseConnections();
        assert.ok(await stopsInTime(scheduled), `round ${round} took too long`);
    }
    await until('no connection is left open', () => openResources() <= leftOpen);
});

it('a stop waits for a running job, even if the connection is lost', async () => {
    let state = 'not begun';
    const job = async () => {
        state = 'begun';
        await delay(500);
        state = 'done';
    };
    const scheduled = schedule({ everyMs: 60_000, run: job });
    await until('the job runs', () => state === 'begun');
    await loseConnections();
    assert.ok(await stopsInTime(scheduled));
    assert.equal(state, 'done');
});
