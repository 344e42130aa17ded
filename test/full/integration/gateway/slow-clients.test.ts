import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startGateway } from '../../../../gateway/gateway.ts';
import type { Services } from '../../../../gateway/services.ts';
import { makeApiKey } from '../../../../platform/access/api-key.ts';
import { newId } from '../../../../platform/ids.ts';
import { loadConfig } from '../../../../platform/process/config.ts';
import { createMetrics, type Metrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet, testRedis } from '../../../support/harness.ts';
import { testLimiter, UNCOUNTED, UNRESTRICTED } from '../../../support/test-redis.ts';

/**
 * The headers of an unfinished request. Its address is used by no other test: calls without a key are counted by
 * address, and all tests share one Redis.
 */
const BEGUN = 'Host: a\r\nX-Forwarded-For: 192.0.2.77\r\nContent-Type: application/json\r\nContent-Length: 100\r\n';
/** The timeout of a check (ms). It is shorter than the time for which the gateway waits for a slow client. */
const TIMEOUT_MS = 3_000;

let asked = 0;
/** A keys service that accepts every key. */
const services = {
    keys: {
        async authenticate() {
            asked++;
            return {
                alive: true,
                key_id: newId(),
                user_id: newId(),
                tier: 'enterprise',
                rate_limit: 10_000,
                ...UNRESTRICTED,
            };
        },
    },
} as unknown as Services; // nothing else is called while a body is awaited

/** Starts a gateway and opens connections to it. Nothing is read from them unless a test does it. */
async function setUp(t: TestContext, count: number) {
    const metrics = createMetrics();
    const redis = await testRedis();
    const gateway = await startGateway({
        config: loadConfig({ INTERNAL_SECRET: 'the internal secret of this test', PORT: '0', TRUST_PROXY: '1' }),
        services,
        redis,
        limiter: testLimiter({ redis, metrics }),
        requestCounts: UNCOUNTED,
        version: '0',
        log: quiet,
        metrics,
        clock: Date.now,
    });
    const { hostname, port } = new URL(gateway.url);
    const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
    t.after(() => {
        for (const socket of sockets) socket.destroy();
        return gateway.stop();
    });
    return { metrics, sockets };
}

it('calls do not count as in progress while their clients are slow to send the body', async (t) => {
    const { metrics, sockets } = await setUp(t, 20);
    sockets.forEach((socket, index) => {
        const key =
            index < 10 ? '' : `Authorization: Bearer ${makeApiKey({ brand: 'cred', environment: 'test' }).api_key}\r\n`;
        socket.write(`POST /v1/credentials HTTP/1.1\r\n${BEGUN}${key}\r\n{`);
    });
    const [unknownCallers, callers] = [sockets.slice(0, 10), sockets.slice(10)];
    // Calls without a key are answered at once, and their clients may continue to send.
    await Promise.all(unknownCallers.map((socket) => once(socket, 'data')));
    const endsAt = performance.now() + TIMEOUT_MS;
    while (asked < callers.length || (await read(metrics, 'http_requests_under_way')) > 0) {
        assert.ok(performance.now() < endsAt, 'calls of slow clients count as in progress');
        await delay(20);
    }
    assert.ok(sockets.every((socket) => !socket.closed));
    assert.ok(callers.every((socket) => socket.bytesRead === 0));
});

it('calls do not count as in progress while their clients are slow to read the answer', async (t) => {
    const { metrics, sockets } = await setUp(t, 5);
    const sent = 20; // pages that all clients together may leave unread: beyond 64 MiB, connections are cut
    sockets.forEach((socket, index) => {
        const request = `GET /docs HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.${78 + index}\r\n\r\n`;
        socket.pause().write(request.repeat(sent));
    });
    const answered = () => read(metrics, 'http_request_duration_seconds_count{route="docs",method="GET",status="200"}');
    const endsAt = performance.now() + TIMEOUT_MS;
    let before: number;
    do {
        before = await answered();
        await delay(100);
    } while (before === 0 || before !== (await answered()));
    assert.ok(before < sockets.length * sent, 'some answers wait for their readers');
    while ((await read(metrics, 'http_requests_under_way')) > 0) {
        assert.ok(performance.now() < endsAt, 'calls of slow clients count as in progress');
        await delay(20);
    }
});

async function read(metrics: Metrics, series: string): Promise<number> {
    const { text } = await metrics.expose();
    const line = text.split('\n').find((line) => line.startsWith(`${series} `));
    return Number(line?.slice(series.length) ?? 0);
}
