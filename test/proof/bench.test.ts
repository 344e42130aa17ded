import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SuiteResults } from '../../bench/suite.ts';
import { runProgram } from '../../deploy/local/databases/run-program.ts';
import { CLONE } from '../full/process/launch/launch.ts';

const TIMEOUT_MS = 240_000;

test('the bench measures jobs, their floors and the naive service without a failed answer', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-test-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const json = join(folder, 'results.json');
    const args = [
        '--only',
        'verify,batch-verify,redeem,limiter',
        '--seconds',
        '0.3',
        '--connections',
        '8',
        '--json',
        json,
    ];
    const output = await runProgram([process.execPath, 'bench/bench.ts', ...args], {
        cwd: CLONE,
        timeout_ms: TIMEOUT_MS,
    });
    assert.match(output, /floor ÷ measured/);

    const { outcomes, naive } = JSON.parse(readFileSync(json, 'utf8')) as SuiteResults; // the bench writes this type
    assert.deepEqual(
        outcomes.map(({ name }) => name),
        ['verify', 'batch-verify', 'redeem', 'limiter'],
    );
    assert.deepEqual(
        naive.map(({ name }) => name),
        ['verify'],
    );
    for (const { name, requests, errors, latency, floor, cpuS } of outcomes) {
        assert.ok(requests > 0, name);
        assert.equal(errors, 0, name);
        assert.ok(latency.p50 > 0 && latency.p50 <= latency.p99 && latency.p99 <= latency.max, name);
        for (const [part, cost] of Object.entries(floor?.parts ?? {})) assert.ok(cost > 0, `${name} ${part}`);
        assert.equal(floor === undefined, name === 'redeem');
        // Redis reports its CPU time in steps of 10 ms and may have needed less than that.
        assert.ok((cpuS['service'] ?? 0) > 0 && cpuS['redis'] !== undefined, name);
    }
    const verify = outcomes.find(({ name }) => name === 'verify');
    assert.deepEqual(Object.keys(verify?.floor?.parts ?? {}), ['http', 'limit', 'verify', 'log_line', 'metrics']);
});
