import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { jobMetrics } from '../../../../platform/redis/job-metrics.ts';
import { scheduleJobs } from '../../../../platform/redis/jobs.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet, recordingLog } from '../../../support/harness.ts';
import { redisServers } from '../../../support/redis/node.ts';
import { until } from '../../../support/until.ts';

const servers = await redisServers();
after(() => servers.close());
const node = await servers.start({ requirepass: 'secret', save: '""' });
after(() => node.stop());
const redisUrl = `redis://:${node.password}@127.0.0.1:${node.port}`;

for (const [what, lose] of Object.entries({
    FLUSHALL: () => node.redis.flushall(),
    'a new, empty Redis at the same address': () => node.restart(),
})) {
    it(`after ${what} the schedules are restored within a minute`, async (t) => {
        let runs = 0;
        const scheduled = scheduleJobs({
            redisUrl,
            role: 'test',
            jobs: { work: { everyMs: 50, run: async () => runs++ } },
            log: quiet,
            metrics: jobMetrics(createMetrics()),
        });
        t.after(() => scheduled.stop());
        await until('the job runs', () => runs > 2);
        await lose();
        await until('the schedule is gone', async () => (await node.redis.exists('{jobs:test}:test:repeat')) === 0);
        const before = runs;
        await until('the job runs again', () => runs > before + 2);
    });
}

it('while Redis refuses requests of runs, one line is logged, and the job runs afterwards', async (t) => {
    const { lines, log } = recordingLog();
    let [asked, runs] = [0, 0];
    const isDue = async () => ++asked > 0;
    t.after(() => node.redis.config('SET', 'maxmemory', '0'));
    await node.redis.config('SET', 'maxmemory', '1');
    const scheduled = scheduleJobs({
        redisUrl,
        role: 'refused',
        jobs: { work: { everyMs: 20, isDue, run: async () => runs++ } },
        log,
        metrics: jobMetrics(createMetrics()),
    });
    t.after(() => scheduled.stop());
    const refused = () => lines.filter(({ msg }) => msg === 'could not request the job');
    await until('the refusal is logged', () => refused().length > 0);
    const before = asked;
    await until('the job asks again', () => asked > before + 3);
    assert.equal(refused().length, 1);
    assert.equal(refused()[0]?.job, 'work');
    assert.equal(runs, 0);
    await node.redis.config('SET', 'maxmemory', '0');
    await until('the job runs', () => runs > 0);
});
