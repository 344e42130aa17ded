import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startGateway } from '../../../../gateway/gateway.ts';
import type { Services } from '../../../../gateway/services.ts';
import { makeApiKey } from '../../../../platform/access/api-key.ts';
import { loadConfig } from '../../../../platform/process/config.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet, testRedis } from '../../../support/harness.ts';
import { testLimiter, UNCOUNTED, UNRESTRICTED } from '../../../support/test-redis.ts';

const UNKNOWN_KEY_LIMIT = 100;
/**
 * The number of connections, and of pipelined requests on each. Together they are fewer than the 256 requests that a
 * gateway always serves at once (gateway/admission/overload.ts), so that none is refused.
 */
const [CONNECTIONS, PIPELINED] = [10, 25];

const redis = await testRedis();

let lookedUp = 0;
const services = {
    keys: {
        async authenticate() {
            lookedUp++;
            return { alive: false, key_id: '', user_id: '', tier: '', rate_limit: 0, ...UNRESTRICTED };
        },
    },
} as unknown as Services; // calls with an unknown key reach no other service
const gateway = await startGateway({
    config: loadConfig({ PORT: '0', INTERNAL_SECRET: 'secret', UNKNOWN_KEY_LIMIT: String(UNKNOWN_KEY_LIMIT) }),
    services,
    redis,
    limiter: testLimiter({ redis }),
    requestCounts: UNCOUNTED,
    version: '0',
    log: quiet,
    metrics: createMetrics(),
    clock: Date.now,
});
after(() => gateway.stop());

/** Makes one call with each of `count` new keys. Returns how often each status was answered. */
async function callWithEach(count: number, newKey: () => string): Promise<Record<string, number>> {
    const statuses: Record<string, number> = {};
    const answers = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => callInRow(count / CONNECTIONS, newKey)),
    );
    for (const status of answers.flat()) statuses[status] = (statuses[status] ?? 0) + 1;
    return statuses;
}

/** Makes calls on one connection, `PIPELINED` at a time. Returns their statuses. */
async function callInRow(count: number, newKey: () => string): Promise<string[]> {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const statuses: string[] = [];
    for (let sent = 0; sent < count; sent += PIPELINED) {
        const calls = Array.from(
            { length: PIPELINED },
            () => `GET /v1/did/x HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${newKey()}\r\n\r\n`,
        );
        socket.write(calls.join(''));
        let text = '';
        let answered: string[] = [];
        while (answered.length < PIPELINED || !text.endsWith('}')) {
            const [chunk] = await once(socket, 'data');
            text += chunk;
            answered = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
        }
        statuses.push(...answered);
    }
    socket.destroy();
    return statuses;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // V8 provides it because of the flag above

/** Bytes of the heap that are still reachable. */
function heldBytes(): number {
    collectGarbage();
    return process.memoryUsage().heapUsed;
}

/** Redis keys that never expire, except those that hold an epoch. */
async function keptForEver(): Promise<string[]> {
    const keys = await redis.keys('*');
    const ends = await Promise.all(keys.map((key) => redis.pttl(key)));
    return keys.filter((key, index) => ends[index] === -1 && !key.startsWith('era:'));
}

const mistyped = (): string => `cred_test_${randomBytes(16).toString('hex')}`;
const wellFormed = (): string => makeApiKey({ brand: 'cred', environment: 'test' }).api_key;

describe('unknown API keys', () => {
    it('cause no lookup if their checksum is wrong, however many there are', async () => {
        assert.deepEqual(await callWithEach(20_000, mistyped), { 401: 20_000 });
        assert.equal(lookedUp, 0);
    });

    it('are counted by address, with a right or wrong checksum: Redis stores nothing for a single key', async () => {
        const { 401: unknown = 0, 429: limited = 0 } = await callWithEach(2_000, wellFormed);
        assert.equal(unknown + limited, 2_000);
        assert.equal(lookedUp, unknown, 'the limit of the address decides before the look-up');
        assert.equal(unknown % UNKNOWN_KEY_LIMIT, 0, 'it is used up in each window');
        assert.deepEqual((await redis.keys('window:*')).sort(), [
            'window:{0}:address:calls:127.0.0.1',
            'window:{0}:address:lookups:127.0.0.1',
        ]);
        assert.deepEqual(await keptForEver(), []);
    });

    it('leave nothing in the memory of the gateway', async () => {
        const round = async () => {
            await callWithEach(2_000, mistyped);
            await callWithEach(2_000, wellFormed);
            return heldBytes();
        };
        await round();
        const before = await round();
        for (let repeat = 0; repeat < 3; repeat++) await round();
        const grown = (await round()) - before;
        assert.ok(grown < 1 << 20, `${grown} bytes more after 16,000 keys`); // 64 bytes for each key
    });
});
