import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis } from '../../../../deploy/local/databases/redis.ts';
import { livenessMarkKey } from '../../../../platform/access/liveness-marks.ts';
import { shardTag } from '../../../../platform/redis/redis.ts';
import { startService } from '../../../support/service.ts';

/** Starts a Redis for this file alone. Its address stays the same when it is stopped and started again. */
async function stoppableRedis() {
    const dataDir = mkdtempSync(join(tmpdir(), 'redis-away-'));
    const start = () => startRedis({ dataDir, log: () => {} });
    const sockets = new Set<Socket>();
    let running: Awaited<ReturnType<typeof start>> | undefined = await start();
    const proxy = createServer((near) => {
        if (!running) return void near.destroy();
        const far = connect(Number(new URL(running.url).port), '127.0.0.1');
        for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
            sockets.add(socket);
            socket.on('error', () => other.destroy());
            socket.on('close', () => sockets.delete(socket) && other.destroy());
        }
        near.pipe(far).pipe(near);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const bound = proxy.address();
    const url = new URL(running.url);
    url.port = String(typeof bound === 'object' && bound?.port);

    async function stop(): Promise<void> {
        await running?.stop();
        running = undefined;
        for (const socket of sockets) socket.destroy();
    }
    after(async () => {
        await stop();
        proxy.close();
        rmSync(dataDir, { recursive: true, force: true });
    });
    return {
        url: url.href,
        stop,
        async start() {
            running = await start();
        },
        /** Runs commands on it directly. */
        async command<Result>(run: (redis: Redis) => Promise<Result>): Promise<Result> {
            const redis = new Redis(url.href);
            return run(redis).finally(() => redis.disconnect());
        },
    };
}

const setting = (name: string): string => process.env[name] ?? assert.fail(`${name}: run this by "npm test -- <file>"`);
const redis = await stoppableRedis();
const logDir = mkdtempSync(join(tmpdir(), 'redis-away-log-'));
const service = await startService({
    transport: 'local',
    adminUrl: setting('TEST_ADMIN_URL'),
    databaseUrl: setting('TEST_DATABASE_URL'),
    redisUrl: redis.url,
    logDir,
});
after(async () => {
    await service.stop();
    rmSync(logDir, { recursive: true, force: true });
});
Object.assign(process.env, service.env); // before the client of the end-to-end tests is loaded
const { GATEWAYS, expectError, expectOk, send } = await import('../../../e2e/support/client.ts');
const { newAccount, newKey } = await import('../../../e2e/support/world.ts');
type Account = Awaited<ReturnType<typeof newAccount>>;

const use = (token: string, gateway = 0) => ({ method: 'POST', path: '/v1/did', token, gateway });
const revoke = (account: Account, keyId: string) => ({
    method: 'DELETE',
    path: `/v1/keys/${keyId}`,
    token: account.token,
});

async function servedByBoth(token: string): Promise<void> {
    for (const gateway of [0, 1]) await expectOk(201, use(token, gateway));
}
async function refusedByBoth(token: string): Promise<void> {
    for (const gateway of [0, 1, 0, 1]) await expectError(401, use(token, gateway));
}

/** Sends a call that must be answered with 503. The client of the other tests cannot be used: it fails on any 503. */
async function unavailable({ method, path, token }: ReturnType<typeof revoke>): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${GATEWAYS[0]}${path}`, { method, headers });
    assert.equal(answer.status, 503, await answer.text());
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

/** Resolves when both gateways report Redis as `state`. */
async function cacheIs(state: 'up' | 'down'): Promise<void> {
    for (const gateway of [0, 1]) {
        for (const giveUp = performance.now() + 10_000; ; await delay(50)) {
            const { body } = (await send({ path: '/internal/health', gateway })) as {
                body: { services?: { cache?: string } };
            };
            if (body.services?.cache === state) break;
            assert.ok(performance.now() < giveUp, `gateway ${gateway}: cache is not ${state}`);
        }
    }
}

describe('a Redis that is flushed', () => {
    it('revives no revoked key or session, and ends no live one', async () => {
        const account = await newAccount();
        const [dead, alive] = [await newKey(account), await newKey(account)];
        const session = await newAccount();
        for (const token of [dead.api_key, alive.api_key, session.token]) await servedByBoth(token);
        await expectOk(200, revoke(account, dead.key_id));
        const body = { token: session.token };
        await expectOk(200, { method: 'POST', path: '/internal/v1/auth/logout', internal: true, body });
        await redis.command((client) => client.flushall());
        for (const token of [dead.api_key, session.token]) await refusedByBoth(token);
        await servedByBoth(alive.api_key);
        await servedByBoth(account.token);
    });

    it('admits calls of each key at most up to its limit once more', async () => {
        const { api_key } = await newKey(await newAccount(), 'free');
        const admitted = async () => {
            const answers = await Promise.all(Array.from({ length: 30 }, (_, call) => send(use(api_key, call % 2))));
            assert.ok(answers.every(({ status }) => status === 201 || status === 429));
            return answers.filter(({ status }) => status === 201).length;
        };
        assert.equal(await admitted(), 10);
        await redis.command((client) => client.flushall());
        assert.equal(await admitted(), 10);
    });
});

describe('a Redis that is restarted', () => {
    it('and has lost its last second, which had a refused mark, revives nothing', async () => {
        const account = await newAccount();
        const { key_id, api_key } = await newKey(account);
        await servedByBoth(api_key);
        const mark = livenessMarkKey(shardTag(account.user_id, 1), 'key', key_id);
        const live = await redis.command((client) => client.get(mark));
        await expectOk(200, revoke(account, key_id));
        await redis.command((client) => client.set(mark, live ?? assert.fail('no live mark'), 'PX', 60_000));
        await redis.stop();
        await redis.start();
        await cacheIs('up');
        assert.equal(await redis.command((client) => client.get(mark)), live, 'the live mark is in the file');
        await refusedByBoth(api_key);
    });
});

describe('while Redis is unreachable', () => {
    it('live keys are served within local windows, revoked keys are refused, and revocations take effect', async () => {
        const account = await newAccount();
        const free = await newKey(account, 'free');
        const [dead, doomed, silent] = [await newKey(account), await newKey(account), await newKey(account)];
        for (const { api_key } of [dead, doomed, silent]) await servedByBoth(api_key);
        await expectOk(200, revoke(account, dead.key_id));
        await redis.stop();
        await cacheIs('down');

        const answers = await Promise.all(Array.from({ length: 60 }, (_, call) => send(use(free.api_key, call % 2))));
        const admitted = answers.filter(({ status }) => status === 201);
        assert.equal(admitted.length, 20, 'ten for each gateway');
        assert.ok(answers.every(({ status }) => status === 201 || status === 429));
        assert.ok(answers.every(({ headers }) => headers.get('x-ratelimit-limit') === '10'));

        await refusedByBoth(dead.api_key);
        for (const { api_key } of [doomed, silent]) await servedByBoth(api_key);
        await expectError(401, use(`${doomed.api_key.slice(0, -1)}~`));
        for (const { key_id } of [doomed, silent]) await unavailable(revoke(account, key_id));
        await refusedByBoth(doomed.api_key);
        const { token } = await newAccount();
        await servedByBoth(token);

        await redis.start();
        await cacheIs('up');
        // The confirmation of the silent key from before its revocation must not count now.
        for (const { api_key } of [silent, doomed]) await refusedByBoth(api_key);
        await expectOk(200, revoke(account, doomed.key_id));
        await refusedByBoth(doomed.api_key);
        await servedByBoth(token);
    });
});
