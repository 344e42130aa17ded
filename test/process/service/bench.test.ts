import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SuiteResults } from '../../../bench/suite.ts';
import { runProgram } from '../../../deploy/local/databases/run-program.ts';
import { CLONE } from '../launch/launch.ts';

const TIMEOUT_MS = 240_000;

test('the bench measures a job, its floor and the naive service, and fails on no answer', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-test-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const json = join(folder, 'results.json');
    const args = ['--only', 'resolve,verify,limiter', '--seconds', '0.3', '--connections', '8', '--json', json];
    const output = await runProgram([process.execPath, 'bench/bench.ts', ...args], {
        cwd: CLONE,
        timeout_ms: TIMEOUT_MS,
    });
    assert.match(output, /floor ÷ measured/);

    const { outcomes, naive } = JSON.parse(readFileSync(json, 'utf8')) as SuiteResults; // what it writes
    assert.deepEqual(
        outcomes.map(({ name }) => name),
        ['resolve', 'verify', 'limiter'],
    );
    assert.deepEqual(
        naive.map(({ name }) => name),
        ['verify'],
    );
    for (const { name, requests, errors, latency, floor, cpu_s } of outcomes) {
        assert.ok(requests > 0, name);
        assert.equal(errors, 0, name);
        assert.ok(latency.p50 > 0 && latency.p50 <= latency.p99 && latency.p99 <= latency.max, name);
        for (const [part, cost] of Object.entries(floor.parts)) assert.ok(cost > 0, `${name} ${part}`);
        assert.ok(floor.total_us > 0, name);
        // Redis may have needed less than the 10 ms that its time is told in.
        assert.ok((cpu_s['service'] ?? 0) > 0 && cpu_s['redis'] !== undefined, name);
    }
    const verify = outcomes.find(({ name }) => name === 'verify');
    assert.deepEqual(Object.keys(verify?.floor.parts ?? {}), ['http', 'limit', 'verify', 'log_line', 'metrics']);
});
