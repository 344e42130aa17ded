import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '../../../../deploy/local/databases/postgres.ts';
import { startRedis } from '../../../../deploy/local/databases/redis.ts';
import { findProcesses, worksIn } from '../../../../deploy/local/processes.ts';
import { UNRELATED_ROLES } from '../../../support/members.ts';
import { startService, type Transport } from '../../../support/service.ts';
import { until } from '../../../support/until.ts';

/** How long PostgreSQL hangs (ms): longer than a request may take. */
const POSTGRES_HANG_MS = 14_000;
const REDIS_HANG_MS = 6_000;
/** The longest that a request may take (ms): its own 10 s, and 3 s in which a busy machine delivers the answer. */
const LONGEST_MS = 13_000;

/** Suspends all processes of a server while `work` runs: they keep their connections and answer nothing. */
async function whileHanging(folder: string, work: () => Promise<void>): Promise<void> {
    const pids = findProcesses(({ pid }) => worksIn(pid, folder));
    assert.ok(pids.length > 0, `no process works in ${folder}`);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
        await work();
    } finally {
        for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
}

/** Starts the service with its own PostgreSQL and Redis. All are stopped after the tests. */
async function startWithStores(transport: Transport) {
    const closing = new AsyncDisposableStack(); // closes the last one first, even if the service does not start
    after(() => closing.disposeAsync());
    const newFolder = (name: string): string => {
        const folder = mkdtempSync(join(tmpdir(), name));
        closing.defer(() => rmSync(folder, { recursive: true, force: true }));
        return folder;
    };
    const dataDir = newFolder('stores-hang-');
    const options = { dataDir, log: () => {} };
    const [postgres, redis] = await Promise.all([startPostgres(options), startRedis(options)]);
    closing.defer(() => postgres.stop());
    closing.defer(() => redis.stop());
    const logDir = newFolder('stores-hang-log-');
    const service = await startService({
        transport,
        groups: UNRELATED_ROLES,
        adminUrl: postgres.adminUrl,
        databaseUrl: postgres.url,
        redisUrl: redis.url,
        logDir,
    });
    closing.defer(() => service.stop());
    return { service, dataDir, logDir };
}

/** Runs the service with its own PostgreSQL and Redis, and suspends these. */
export async function testHangingStores(transport: Transport): Promise<void> {
    const { service, dataDir, logDir } = await startWithStores(transport);
    Object.assign(process.env, service.env); // before the client of the end-to-end tests is loaded
    const { GATEWAYS } = await import('../../../e2e/support/client.ts');
    const { newAccount, newKey } = await import('../../../e2e/support/world.ts');
    const { token } = await newAccount();
    const { api_key } = await newKey(await newAccount(), 'enterprise');

    async function call(method: string, path: string, bearer = token, gateway = 0) {
        const began = performance.now();
        const headers = { authorization: `Bearer ${bearer}` };
        const answer = await fetch(`${GATEWAYS[gateway]}${path}`, { method, headers });
        await answer.arrayBuffer();
        return { status: answer.status, took: performance.now() - began };
    }
    const isServed = async (): Promise<boolean> => (await call('POST', '/v1/did')).status === 201;

    it('while PostgreSQL hangs no request exceeds its deadline, and afterwards requests are served again', async () => {
        await whileHanging(join(dataDir, 'postgres'), async () => {
            const calls = [];
            for (const end = performance.now() + POSTGRES_HANG_MS; performance.now() < end; await delay(500)) {
                for (const gateway of [0, 1]) {
                    calls.push(call('POST', '/v1/did', token, gateway), call('GET', '/v1/keys', token, gateway));
                }
            }
            for (const { status, took } of await Promise.all(calls)) {
                assert.equal(status, 503);
                assert.ok(took < LONGEST_MS, `${took} ms`);
            }
        });
        await until('requests are served', isServed);
    });

    it('while Redis hangs only the first calls wait for it', async () => {
        for (const gateway of [0, 1]) assert.equal((await call('POST', '/v1/did', api_key, gateway)).status, 201);
        const began = Date.now();
        let served = 0;
        await whileHanging(join(dataDir, 'redis'), async () => {
            for (const end = performance.now() + REDIS_HANG_MS; performance.now() < end; await delay(20)) {
                const { status } = await call('POST', '/v1/did', api_key, served++ % 2);
                assert.equal(status, 201);
            }
        });
        assert.ok(served > 10);
        const waits = logged(logDir).filter(
            ({ msg, time, err }) =>
                msg === 'rate limiter: Redis does not answer, this process decides alone' &&
                Date.parse(time) >= began &&
                err?.message === 'Redis did not answer in time.',
        );
        assert.ok(waits.length <= GATEWAYS.length, `${waits.length} batches of calls waited`);
        await until('the limiter uses Redis', async () => {
            const answer = await fetch(`${GATEWAYS[0]}/internal/health`);
            return ((await answer.json()) as { services: { cache: string } }).services.cache === 'up'; // by its schema
        });
    });
}

interface Line {
    msg?: string;
    time: string;
    err?: { message: string };
}

function logged(folder: string): Line[] {
    return readdirSync(folder).flatMap((file) => {
        const lines = readFileSync(join(folder, file), 'utf8').split('\n');
        return lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : [])); // pino wrote it
    });
}
