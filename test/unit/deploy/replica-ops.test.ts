import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { serveReplicaOps } from '../../../deploy/local/replicas/replica-ops.ts';
import { serveOps } from '../../../platform/http/ops.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';

const ADDRESS = { host: '127.0.0.1', port: 0 };

/** The operations port of a process whose checks fail with `failing`. */
async function replica(t: TestContext, name: string, failing: string[], remarks: string[] = []) {
    const log = pino({ enabled: false });
    const failingChecks = async () => [...failing];
    const ops = await serveOps({ ...ADDRESS, metrics: createMetrics(), log, failingChecks, remarks: () => remarks });
    t.after(() => ops.stop());
    return { name, ops: ops.url };
}

it('the processes together are ready while one of them is, and otherwise each says what it lacks', async (t) => {
    const failing: string[] = [];
    const gone = { name: 'gone', ops: 'http://127.0.0.1:1' };
    const replicas = [
        await replica(t, 'broken', ['redis: away']),
        await replica(t, 'good', failing, ['database part: away']),
        gone,
    ];
    const ops = await serveReplicaOps({ ...ADDRESS, metrics: createMetrics(), replicas });
    t.after(() => ops.stop());
    const ready = await fetch(`${ops.url}/readyz`);
    assert.equal(ready.status, 200);
    assert.equal(await ready.text(), 'ready\ngood: database part: away\n');
    failing.push('database: away');
    const answer = await fetch(`${ops.url}/readyz`);
    assert.equal(answer.status, 503);
    const text = await answer.text();
    const metrics = await (await fetch(`${ops.url}/metrics`)).text();
    assert.match(metrics, /^processes_answering\{process="launcher"\} 2$/m);
    for (const line of ['broken: redis: away', 'good: database: away', 'gone: it does not answer'])
        assert.ok(text.includes(line), text);
});
