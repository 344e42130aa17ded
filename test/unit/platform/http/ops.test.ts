import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { it } from 'node:test';
import { pino } from 'pino';
import { serveOps } from '../../../../platform/http/ops.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';

it('a metric that cannot be read gives a 500 and a log line, and the other paths still answer', async (t) => {
    const lines: string[] = [];
    const write = (line: string, _: unknown, done: () => void) => {
        lines.push(line);
        done();
    };
    const metrics = createMetrics();
    let broken = true;
    metrics.gauge('tried', 'Fails.', () => {
        if (broken) throw new Error('no reading');
        return 1;
    });
    const { url, stop } = await serveOps({
        host: '127.0.0.1',
        port: 0,
        metrics,
        log: pino(new Writable({ decodeStrings: false, write })),
        failingChecks: async () => [],
    });
    t.after(stop);
    const status = async (path: string) => (await fetch(url + path)).status;
    assert.equal(await status('/metrics'), 500);
    assert.deepEqual([lines.length, /no reading/.test(lines.join())], [1, true]);
    assert.deepEqual([await status('/livez'), await status('/readyz'), await status('/nothing')], [200, 200, 404]);
    broken = false;
    assert.equal(await status('/metrics'), 200);
});

it('the metrics are rendered once for all concurrent requests', async (t) => {
    const metrics = createMetrics();
    let renderings = 0;
    metrics.gauge('asked', 'How often this is read.', () => ++renderings);
    const { url, stop } = await serveOps({
        host: '127.0.0.1',
        port: 0,
        metrics,
        log: pino({ enabled: false }),
        failingChecks: async () => [],
    });
    t.after(stop);
    const answers = await Promise.all(Array.from({ length: 100 }, async () => (await fetch(`${url}/metrics`)).text()));
    assert.ok(answers.every((answer) => /^asked \d+$/m.test(answer)));
    const first = renderings; // more than 1 if the requests arrive in several turns of the event loop
    assert.ok(first < 50, `rendered ${first} times`);
    assert.match(await (await fetch(`${url}/metrics`)).text(), new RegExp(`^asked ${first + 1}$`, 'm'));
});

for (const [what, text] of [
    ['many requests', 'GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n'],
    ['many requests without a Host', 'GET /metrics HTTP/1.1\r\n\r\n'],
    ['many requests with an expectation', 'GET /metrics HTTP/1.1\r\nHost: test\r\nExpect: x\r\n\r\n'],
] as const) {
    it(`a connection that sends ${what} at once is cut, and counted`, { timeout: 30_000 }, async (t) => {
        const { url, stop } = await serveOps({
            host: '127.0.0.1',
            port: 0,
            metrics: createMetrics(),
            log: pino({ enabled: false }),
            failingChecks: async () => [],
        });
        t.after(stop);
        const { hostname, port } = new URL(url);
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        socket.write(text.repeat(9));
        await textOf(socket).catch(() => {}); // ends when the connection is closed
        const metrics = await (await fetch(`${url}/metrics`)).text();
        assert.match(metrics, /^operations_connections_cut_total\{reason="requests"\} 1$/m);
    });
}
