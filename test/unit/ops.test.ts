import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { pino } from 'pino';
import { createMetrics } from '../../platform/metrics.ts';
import { serveOps } from '../../platform/ops.ts';

it('a metric that cannot be read is a 500 and a line in the log, and nothing else of the port fails', async (t) => {
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
        obstacles: async () => [],
    });
    t.after(stop);
    const status = async (path: string) => (await fetch(url + path)).status;
    assert.equal(await status('/metrics'), 500);
    assert.deepEqual([lines.length, /no reading/.test(lines.join())], [1, true]);
    assert.deepEqual([await status('/livez'), await status('/readyz'), await status('/nothing')], [200, 200, 404]);
    broken = false;
    assert.equal(await status('/metrics'), 200);
});
