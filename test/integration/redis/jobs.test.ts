import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../../../platform/postgres/db.ts';
import { jobMetrics } from '../../../platform/redis/job-metrics.ts';
import { scheduleJobs } from '../../../platform/redis/jobs.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { startTracing } from '../../../platform/telemetry/tracing.ts';
import { pruneSessions } from '../../../services/identity/prune.store.ts';
import { startCollector } from '../../support/collector.ts';
import { quiet, redisUrl, testDatabase, testRedis } from '../../support/harness.ts';

const { db } = await testDatabase();
const redis = await testRedis();

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const giveUp = performance.now() + 20_000;
    while (!(await holds())) {
        assert.ok(performance.now() < giveUp, what);
        await delay(20);
    }
}

it('a job runs repeatedly, even if it fails, and leaves a bounded history', async (t) => {
    const role = `test-${randomUUID()}`;
    const metrics = createMetrics();
    const runs = { works: 0, fails: 0 };
    const scheduled = scheduleJobs({
        redisUrl,
        role,
        jobs: {
            works: { everyMs: 20, run: async () => runs.works++ },
            fails: {
                everyMs: 20,
                async run() {
                    runs.fails++;
                    throw new Error('intended failure');
                },
            },
        },
        log: quiet,
        metrics: jobMetrics(metrics),
    });
    t.after(() => scheduled.stop()); // in case an assertion fails before the stop below
    await until('the jobs run', () => runs.works > 100 && runs.fails > 3);
    const { text } = await metrics.expose();
    const value = (metric: string, ...labels: string[]): number => {
        const line = text.split('\n').find((line) => line.startsWith(metric) && labels.every((l) => line.includes(l)));
        return Number(line?.split(' ').at(-1));
    };
    assert.ok(value('job_duration_seconds_count', 'task="works"', 'outcome="ok"') > 99);
    assert.ok(value('job_duration_seconds_count', 'task="fails"', 'outcome="failed"') > 2);
    assert.ok(value('job_queue_jobs', 'state="failed"') > 2);
    assert.ok(value('job_queue_oldest_due_seconds', role) < 20);
    const [works, fails] = ['works', 'fails'].map((task) =>
        value('job_last_success_timestamp_seconds', `task="${task}"`),
    );
    assert.ok(Number(works) > Number(fails), 'only a job that succeeds has a success after the start');
    await scheduled.stop();
    assert.ok((await redis.zcard(`{jobs:${role}}:${role}:completed`)) <= 12);
    assert.ok((await redis.zcard(`{jobs:${role}}:${role}:failed`)) <= 102);
    assert.ok((await redis.xlen(`{jobs:${role}}:${role}:events`)) <= 200); // Redis trims in steps of a hundred
    const keys = await redis.keys(`{jobs:${role}}*`);
    await redis.del(...keys);
});

it('a job that says when it is due runs only then, and has no schedule', async (t) => {
    const role = `test-${randomUUID()}`;
    let [looks, dueRuns, unknownRuns] = [0, 0, 0];
    let isDue = false;
    const jobs = {
        due: {
            everyMs: 20,
            async isDue() {
                looks++;
                return isDue;
            },
            async run() {
                dueRuns++;
                isDue = false;
            },
        },
        unknown: {
            everyMs: 20,
            async isDue(): Promise<boolean> {
                throw new Error('intended failure');
            },
            run: async () => unknownRuns++,
        },
    };
    const metrics = createMetrics();
    const scheduled = scheduleJobs({ redisUrl, role, jobs, log: quiet, metrics: jobMetrics(metrics) });
    t.after(() => scheduled.stop());
    await until('the job that cannot say whether it is due runs', () => looks > 3 && unknownRuns > 3);
    assert.equal(dueRuns, 0);
    isDue = true;
    await until('the due job runs', () => dueRuns > 0);
    const [before, asked] = [dueRuns, looks];
    await until('it is asked again', () => looks > asked + 20);
    assert.ok(dueRuns - before <= 1, 'at most the run that was requested before the first one had ended');
    assert.equal(await redis.exists(`{jobs:${role}}:${role}:repeat`), 0);
    await scheduled.stop();
    await redis.del(...(await redis.keys(`{jobs:${role}}*`)));
});

it('runs that take long do not pile up', async (t) => {
    const role = `test-${randomUUID()}`;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let [asked, runs] = [0, 0];
    const run = async () => {
        runs++;
        await ended;
    };
    const jobs = { slow: { everyMs: 20, isDue: async () => ++asked > 0, run } };
    const scheduled = Array.from({ length: 2 }, () =>
        scheduleJobs({ redisUrl, role, jobs, log: quiet, metrics: jobMetrics(createMetrics()) }),
    );
    t.after(() => Promise.all(scheduled.map((processes) => processes.stop())));
    await until('each process runs the job', () => runs === 2);
    const before = asked;
    await until('it is asked again', () => asked > before + 40);
    // Both processes may have seen at once that none waits.
    assert.ok((await redis.llen(`{jobs:${role}}:${role}:wait`)) <= 2);
    end();
    await until('it runs again', () => runs > 2);
    await Promise.all(scheduled.map((processes) => processes.stop()));
    await redis.del(...(await redis.keys(`{jobs:${role}}*`)));
});

it('the schedule of a job that an earlier release had is removed, and the others stay', async (t) => {
    const role = `test-${randomUUID()}`;
    const schedules = () => redis.zrange(`{jobs:${role}}:${role}:repeat`, '0', '-1');
    const job = { everyMs: 60_000, run: async () => {} };
    for (const [jobs, expected] of [
        [{ old: job, kept: job }, 'kept,old'],
        [{ kept: job, added: job }, 'added,kept'],
    ] as const) {
        const metrics = jobMetrics(createMetrics());
        const scheduled = scheduleJobs({ redisUrl, role, jobs, log: quiet, metrics });
        t.after(() => scheduled.stop());
        await until(`the schedules are ${expected}`, async () => (await schedules()).sort().join() === expected);
        await scheduled.stop();
    }
    await redis.del(...(await redis.keys(`{jobs:${role}}*`)));
});

it('each run of a job has its own trace, which shows its wait and its outcome', async (t) => {
    const collector = await startCollector();
    t.after(() => collector.stop());
    const tracing = await startTracing({ endpoint: collector.url, sample: 1, service: 'test', log: quiet });
    const role = `test-${randomUUID()}`;
    let runs = 0;
    const run = async () => {
        if (++runs === 2) throw new Error('intended failure');
    };
    const jobs = { work: { everyMs: 20, run } };
    const metrics = jobMetrics(createMetrics());
    const scheduled = scheduleJobs({ redisUrl, role, jobs, log: quiet, metrics });
    await until('the job runs', () => runs > 2);
    await scheduled.stop();
    await tracing.stop();
    const spans = collector.spans();
    assert.ok(spans.length > 2);
    assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, spans.length);
    for (const { name, attributes } of spans) {
        assert.equal(name, `job ${role}.work`);
        assert.ok(Number(attributes['queue.wait_ms']) >= 0);
    }
    assert.equal(spans.filter(({ attributes }) => attributes['error.type'] === 'internal').length, 1);
    await redis.del(...(await redis.keys(`{jobs:${role}}*`)));
});

it('pruning removes the sessions whose tokens have all expired, and no others', async () => {
    const userId = randomUUID();
    await db.rows(sql.unsafe`
        INSERT INTO identity.users (user_id, email, tier, password_hash, created_at, updated_at)
        VALUES (${userId}, ${`${userId}@example.com`}, 'free', '-', now(), now())`);
    const open = (expires: string) =>
        db.rows(sql.unsafe`
        INSERT INTO identity.sessions (session_id, user_id, refresh_id, created_at, expires_at)
        VALUES (${randomUUID()}, ${userId}, ${randomUUID()}, now(), now() + ${expires}::interval)`);
    await Promise.all(['-1 second', '-1 month', '1 hour'].map(open));
    assert.equal(await pruneSessions(db), 2);
    assert.equal(await pruneSessions(db), 0);
    const left = await db.rows(sql.unsafe`SELECT FROM identity.sessions WHERE user_id = ${userId}`);
    assert.equal(left.length, 1);
});
