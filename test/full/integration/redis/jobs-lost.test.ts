import { after, it } from 'node:test';
import { jobMetrics } from '../../../../platform/redis/job-metrics.ts';
import { scheduleJobs } from '../../../../platform/redis/jobs.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet } from '../../../support/harness.ts';
import { redisServers } from '../../../support/redis/node.ts';
import { until } from '../../../support/until.ts';

const servers = await redisServers();
after(() => servers.close());
const node = await servers.start({ requirepass: 'secret', save: '""' });
after(() => node.stop());

for (const [what, lose] of Object.entries({
    FLUSHALL: () => node.redis.flushall(),
    'a new, empty Redis at the same address': () => node.restart(),
})) {
    it(`after ${what} the schedules are restored within a minute`, async (t) => {
        let runs = 0;
        const scheduled = scheduleJobs({
            redisUrl: `redis://:${node.password}@127.0.0.1:${node.port}`,
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
