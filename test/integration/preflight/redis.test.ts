import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, it, type TestContext } from 'node:test';
import { guard } from '../../../platform/access/guard.ts';
import { livenessMarks } from '../../../platform/access/liveness-marks.ts';
import { preflightRedis, probeRedis } from '../../../platform/preflight/redis.ts';
import { jobMetrics } from '../../../platform/redis/job-metrics.ts';
import { scheduleJobs } from '../../../platform/redis/jobs.ts';
import { awaitRedis, openRedis } from '../../../platform/redis/redis.ts';
import { StartError } from '../../../platform/start-error.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { quiet, recordingLog } from '../../support/harness.ts';
import { redisServers } from '../../support/redis/node.ts';
import { testLimiter } from '../../support/test-redis.ts';
import { until } from '../../support/until.ts';

const servers = await redisServers();
const node = await servers.start({ requirepass: 'secret', save: '""' });
after(async () => {
    await node.stop();
    servers.close();
});

/** Creates a user with these rights. Returns its URL. */
async function userWith(...rights: string[]): Promise<string> {
    const name = `user-${randomUUID()}`;
    await node.redis.call('ACL', 'SETUSER', name, 'on', '>secret', '~*', '&*', ...rights);
    return `redis://${name}:secret@127.0.0.1:${node.port}`;
}

async function connected(t: TestContext, url: string) {
    const redis = openRedis({ url, log: quiet });
    t.after(() => redis.disconnect());
    await awaitRedis(redis, 5_000);
    assert.equal(redis.status, 'ready');
    return redis;
}

it('the rights in docs/operations/deploy.md are enough', async (t) => {
    await preflightRedis(await connected(t, await userWith('+@all', '-@dangerous', '+info')));
});

for (const [what, rights] of Object.entries({
    INFO: ['+@all', '-@dangerous'],
    'scripts by hash': ['+@all', '-evalsha'],
    writing: ['+@all', '-@write'],
    'waiting for jobs': ['+@all', '-bzpopmin'],
    'scripts by text': ['+@all', '-eval'],
    'the beginning of a transaction': ['+@all', '-multi'],
    'the end of a transaction': ['+@all', '-exec'],
    'the scores of a sorted set': ['+@all', '-zscore'],
    'removing from a sorted set by score': ['+@all', '-zremrangebyscore'],
})) {
    it(`a start is refused if the user may not use ${what}`, async (t) => {
        const redis = await connected(t, await userWith(...rights));
        await assert.rejects(preflightRedis(redis), (error) => {
            assert.ok(error instanceof StartError);
            assert.match(error.message, /NOPERM|permission|can't run this command|without MULTI/i);
            assert.doesNotMatch(error.message, /secret/);
            return true;
        });
    });
}

it('the probe runs every command that the limiter, the guard, the marks and the jobs run', async (t) => {
    const redis = await connected(t, await userWith('+@all'));
    const ranBy = async (work: () => Promise<unknown>): Promise<Set<string>> => {
        await node.redis.call('CONFIG', 'RESETSTAT');
        await work();
        const stats = String(await node.redis.call('INFO', 'commandstats'));
        return new Set([...stats.matchAll(/^cmdstat_([a-z|_-]+):/gm)].map(([, name = '']) => name));
    };
    const probed = await ranBy(() => preflightRedis(redis));
    const used = await ranBy(async () => {
        const account = randomUUID();
        await testLimiter({ redis }).take({ tag: '{0}', bucket: '{0}:bucket', limit: 1 });
        const marks = livenessMarks({ redis, shards: 1 });
        await marks.refuse({ account, subject: 'key', ids: ['k'] });
        await marks.changeVersions({ account, subject: 'key', versions: [{ id: 'l', version: 1 }] });
        const { attempt } = guard({ redis, shards: 1 });
        const target = { subject: account, address: '192.0.2.1' };
        for (let failures = 0; failures <= 10; failures++) await attempt(target, async () => undefined).catch(() => {});
        await attempt({ ...target, address: '192.0.2.2' }, async () => 'right');
        await jobsRun(t);
    });
    // What connections and this test send by themselves, and what fails without harm outside a cluster.
    const besides = /^(auth|hello|select|client\|\w+|config\|\w+|cluster\|\w+|acl\|\w+|quit|ping|subscribe)$/;
    assert.deepEqual(
        [...used].filter((name) => !probed.has(name) && !besides.test(name)),
        [],
    );
});

/** Runs a job several times, one that fails, and removes what an earlier process has scheduled. */
async function jobsRun(t: TestContext): Promise<void> {
    const redisUrl = await userWith('+@all');
    const role = `test-${randomUUID()}`;
    for (const name of ['old', 'new']) {
        let runs = 0;
        const run = async () => {
            if (++runs === 2) throw new Error('the job fails');
        };
        const jobs = { [name]: { everyMs: 20, run } };
        const metrics = createMetrics();
        const scheduled = scheduleJobs({ redisUrl, role, jobs, log: quiet, metrics: jobMetrics(metrics) });
        t.after(() => scheduled.stop());
        await until('the job runs', () => runs > 3);
        await metrics.expose();
        await scheduled.stop();
    }
}

it('a start is refused if the database does not exist', async (t) => {
    const redis = await connected(t, `${await userWith('+@all')}/99`);
    await assert.rejects(preflightRedis(redis), { step: 'redis', message: /DB index is out of range/ });
});

it('a start is refused on a replica, and the cache is not reported as up', async (t) => {
    const replica = await servers.start({ requirepass: 'secret', save: '""', masterauth: 'secret' });
    t.after(() => replica.stop());
    await replica.redis.call('REPLICAOF', '127.0.0.1', String(node.port));
    const redis = await connected(t, `redis://:secret@127.0.0.1:${replica.port}`);
    await assert.rejects(preflightRedis(redis), { step: 'redis', message: /READONLY/ });
    await assert.rejects(probeRedis(redis), /READONLY/);
});

it('jobs whose right is taken away wait before the next try, log one line, and run when they have it again', async (t) => {
    const url = await userWith('+@all');
    const user = new URL(url).username;
    const { log, lines } = recordingLog();
    let runs = 0;
    const role = `test-${randomUUID()}`;
    const jobs = { work: { everyMs: 20, run: async () => void runs++ } };
    const scheduled = scheduleJobs({ redisUrl: url, role, jobs, log, metrics: jobMetrics(createMetrics()) });
    t.after(() => scheduled.stop());
    await until('the job runs', () => runs > 2);
    await node.redis.call('ACL', 'SETUSER', user, '-evalsha', '-eval');
    const began = (await evalshaRefusals(user)) as number;
    await until('the worker has been refused several times', async () => (await evalshaRefusals(user)) >= began + 2);
    await node.redis.call('ACL', 'SETUSER', user, '+@all');
    const before = runs;
    // A job that was refused while it ran is taken up again when its lock has ended and the worker looks for such jobs.
    await until('the job runs again', () => runs > before, 240_000);
    await until('the log says so', () => lines.some(({ msg }) => msg === 'the job queue works again'));
    const errors = lines.filter(({ msg }) => String(msg).startsWith('job queue error'));
    assert.equal(errors.length, 1, JSON.stringify(errors));
});

/** How often Redis has refused this user a script. */
async function evalshaRefusals(user: string): Promise<number> {
    const entries = (await node.redis.call('ACL', 'LOG', '128')) as unknown[][];
    return entries.filter((entry) => entry.includes(user)).reduce((sum, entry) => sum + Number(entry[1]), 0);
}
