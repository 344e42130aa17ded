import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { it, type TestContext } from 'node:test';
import { startGateway } from '../../../../gateway/gateway.ts';
import type { Services } from '../../../../gateway/services.ts';
import { makeApiKey } from '../../../../platform/access/api-key.ts';
import { newId } from '../../../../platform/ids.ts';
import { loadConfig } from '../../../../platform/process/config.ts';
import { queueStats } from '../../../../platform/queue-stats.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet, testRedis } from '../../../support/harness.ts';
import { testLimiter, UNCOUNTED, UNRESTRICTED } from '../../../support/test-redis.ts';
import { until } from '../../../support/until.ts';

const SECRET = 'the internal secret of this test';
const ITEMS = 1_000;
/** Larger than what the gateway reads of a body before it is wanted. */
const BATCH = { credential_ids: Array(ITEMS).fill('x'.repeat(30)) };
const DID = 'did:key:z6Mkv4ic3R8u3nWbFyRB4E57KtdQdrfBXieJgQSendsTCpPX';
const newKey = (): string => makeApiKey({ brand: 'cred', environment: 'test' }).api_key;

interface Answer {
    status: number;
    retryAfter: string | undefined;
}

/** Starts a gateway whose services keep each batch of credentials or users until `release` is called. */
async function setUp(t: TestContext) {
    const metrics = createMetrics();
    const redis = await testRedis();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const begun: string[] = [];
    const failed = { failure: { code: 'not_found', error: 'x' } };
    const services = {
        keys: {
            authenticate: async () => ({
                alive: true,
                key_id: newId(),
                user_id: newId(),
                tier: 'enterprise',
                rate_limit: 1_000_000,
                ...UNRESTRICTED,
            }),
        },
        did: { resolve: async () => ({ did: DID, public_key: new Uint8Array(32) }) },
        identity: {
            async createUsers() {
                begun.push('users');
                await released;
                return { created: [], failed: [] };
            },
        },
        credentials: {
            async getStatusMany({ credential_ids }: { credential_ids: string[] }, { user_id }: { user_id?: string }) {
                begun.push(user_id ?? '');
                await released;
                return { results: credential_ids.map(() => failed) };
            },
        },
    } as unknown as Services; // nothing else is called
    const gateway = await startGateway({
        config: loadConfig({ INTERNAL_SECRET: SECRET, PORT: '0' }),
        services,
        redis,
        limiter: testLimiter({ redis, metrics }),
        requestCounts: UNCOUNTED,
        version: '0',
        log: quiet,
        metrics,
        clock: Date.now,
    });
    const agent = new Agent({ keepAlive: true });
    t.after(() => {
        release();
        agent.destroy();
        return gateway.stop();
    });
    const send = (path: string, headers: Record<string, string>, body?: object): Promise<Answer> =>
        new Promise((resolve, reject) => {
            const method = body ? 'POST' : 'GET';
            const all = { 'Content-Type': 'application/json', ...headers };
            request(`${gateway.url}${path}`, { method, headers: all, agent }, (answer) => {
                answer
                    .resume()
                    .on('end', () =>
                        resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] }),
                    );
            })
                .on('error', reject)
                .end(body && JSON.stringify(body));
        });
    async function read(series: string): Promise<number> {
        const { text } = await metrics.expose();
        const line = text.split('\n').find((line) => line.startsWith(`${series} `));
        return Number(line?.slice(series.length) ?? 0);
    }
    const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
    return {
        begun,
        release,
        read,
        waiting: () => queueStats('batches').waiting,
        users: () => send('/internal/v1/admin/users/batch', { 'X-Internal-Secret': SECRET }, { users: [{}] }),
        batch: (key: string) => send('/v1/credentials/batch/status', bearer(key), BATCH),
        single: (key: string) => send(`/v1/did/${DID}`, bearer(key)),
    };
}

it('54 batches of one account leave places to other accounts, and only those in progress weigh', async (t) => {
    const { begun, release, read, waiting, batch, single } = await setUp(t);
    const [busy, other] = [newKey(), newKey()];
    assert.equal((await single(busy)).status, 200); // from now on the gateway knows the key
    const batches = Array.from({ length: 54 }, () => batch(busy));
    await until('one batch is in progress and 53 wait', () => begun.length === 1 && waiting() === 53);
    assert.ok((await read('http_requests_under_way')) <= 32, 'the one in progress weighs 32 calls');
    const singles = await Promise.all(Array.from({ length: 100 }, () => single(newKey())));
    assert.ok(singles.every(({ status }) => status === 200));
    const beside = batch(other);
    await until('the batch of another account is in progress', () => begun.length === 2);
    assert.equal(new Set(begun).size, 2);
    release();
    for (const answer of await Promise.all([...batches, beside])) assert.equal(answer.status, 200);
    await until('nothing is in progress', async () => (await read('http_requests_under_way')) === 0);
});

it('all batches together weigh half of the calls that a gateway admits while it sheds', async (t) => {
    const { begun, release, read, waiting, batch } = await setUp(t);
    const batches = Array.from({ length: 10 }, () => batch(newKey()));
    await until('four batches are in progress and six wait', () => begun.length === 4 && waiting() === 6);
    assert.ok((await read('http_requests_under_way')) <= 128);
    release();
    for (const answer of await Promise.all(batches)) assert.equal(answer.status, 200);
});

it('one batch of each of 100 callers is answered, whatever the number of places', async (t) => {
    const { release, waiting, batch } = await setUp(t);
    const batches = Array.from({ length: 100 }, () => batch(newKey()));
    await until('all but four wait', () => waiting() === 96);
    release();
    for (const answer of await Promise.all(batches)) assert.equal(answer.status, 200);
});

it('a batch for which there is no place in the line of its caller is refused with 429 and Retry-After', async (t) => {
    const { release, waiting, batch, single } = await setUp(t);
    const key = newKey();
    assert.equal((await single(key)).status, 200);
    const batches = Array.from({ length: 65 }, () => batch(key));
    await until('64 batches wait', () => waiting() === 64);
    assert.deepEqual(await batch(key), { status: 429, retryAfter: '1' });
    release();
    for (const answer of await Promise.all(batches)) assert.equal(answer.status, 200);
    assert.equal((await batch(key)).status, 200);
});

it('batches of users share places of their own', async (t) => {
    const { begun, release, waiting, users, batch } = await setUp(t);
    const batches = Array.from({ length: 2 }, users);
    await until('one waits', () => waiting() === 1);
    batches.push(batch(newKey()));
    await until('the batch of an account is in progress', () => begun.length === 2);
    release();
    for (const answer of await Promise.all(batches)) assert.equal(answer.status, 200);
});
