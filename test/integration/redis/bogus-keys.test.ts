import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startGateway } from '../../../gateway/gateway.ts';
import type { Services } from '../../../gateway/services.ts';
import { makeApiKey } from '../../../platform/access/api-key.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { quiet, testRedis } from '../../support/harness.ts';

const UNKNOWN_KEY_LIMIT = 100;
/**
 * Requests that are sent ahead of their answers on each of the connections: in all no more than the 256 that a gateway serves at
 * once however busy it is (gateway/admission/overload.ts), so that none is refused.
 */
const [CONNECTIONS, PIPELINED] = [10, 25];

const redis = await testRedis();

let looked_up = 0;
const services = {
    keys: {
        async authenticate() {
            looked_up++;
            return { alive: false, key_id: '', user_id: '', tier: '', rate_limit: 0 };
        },
    },
} as unknown as Services; // nothing else is called for who has no key
const gateway = await startGateway({
    config: loadConfig({ PORT: '0', INTERNAL_SECRET: 'secret', UNKNOWN_KEY_LIMIT: String(UNKNOWN_KEY_LIMIT) }),
    services,
    redis,
    version: '0',
    log: quiet,
    metrics: createMetrics(),
    clock: Date.now,
});
after(() => gateway.stop());

/** Calls with each key once; how often which status was the answer. */
async function callWithEach(count: number, newKey: () => string): Promise<Record<string, number>> {
    const statuses: Record<string, number> = {};
    const answers = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => callInRow(count / CONNECTIONS, newKey)),
    );
    for (const status of answers.flat()) statuses[status] = (statuses[status] ?? 0) + 1;
    return statuses;
}

/** On one connection, `PIPELINED` calls at a time. */
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
const collectGarbage = runInNewContext('gc') as () => void; // V8's own, by the flag above

/** Bytes on the heap that something still refers to. */
function heldBytes(): number {
    collectGarbage();
    return process.memoryUsage().heapUsed;
}

/** Keys in Redis that nothing will ever remove, but for the name of the era. */
async function keptForEver(): Promise<string[]> {
    const keys = await redis.keys('*');
    const ends = await Promise.all(keys.map((key) => redis.pttl(key)));
    return keys.filter((key, index) => ends[index] === -1 && !key.startsWith('era:'));
}

const mistyped = (): string => `cred_test_${randomBytes(16).toString('hex')}`;
const wellFormed = (): string => makeApiKey({ brand: 'cred', environment: 'test' }).api_key;

describe('keys that nobody was given', () => {
    it('cost no look-up when their checksum is wrong, however many they are', async () => {
        assert.deepEqual(await callWithEach(20_000, mistyped), { 401: 20_000 });
        assert.equal(looked_up, 0);
    });

    it('are counted by address, whether their checksum is right or not: Redis holds nothing for each of them', async () => {
        await callWithEach(2_000, wellFormed);
        assert.ok(looked_up > 0);
        assert.deepEqual((await redis.keys('limit:*')).sort(), [
            'limit:{0}:address:127.0.0.1',
            'limit:{0}:unknown-keys:127.0.0.1',
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
        assert.ok(grown < 1 << 20, `${grown} bytes more after 16,000 keys`); // 64 bytes for each
    });
});
