import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { keepRunning } from '../../../deploy/local/role-process.ts';

function keep(t: TestContext) {
    const folder = mkdtempSync(join(tmpdir(), 'role-process-'));
    const lines: string[] = [];
    const started: ChildProcess[] = [];
    const stopping = new AbortController();
    const kept = keepRunning({
        name: 'process-1',
        ops: 'http://127.0.0.1:1',
        start(stdio) {
            const child = spawn('sleep', ['60'], { stdio });
            started.push(child);
            return child;
        },
        outputFile: join(folder, 'output'),
        log: (line) => lines.push(line),
        stopping: stopping.signal,
    });
    t.after(() => {
        kept.kill();
        rmSync(folder, { recursive: true });
    });
    const kill = async (): Promise<void> => {
        const child = started.at(-1) as ChildProcess; // keepRunning has started one
        child.kill('SIGINT');
        await once(child, 'exit');
    };
    return { lines, started, stopping, kill };
}

it('a process that ends by itself is started again', async (t) => {
    const { lines, started, kill } = keep(t);
    await kill();
    assert.match(lines.join(), /^process-1 \(pid \d+\) ended \(SIGINT\), starting it again in 100 ms; see .*output$/);
    while (started.length < 2) await delay(10);
});

it('a process that ends with Ctrl-C while the launcher stops is not started again', async (t) => {
    const { lines, started, stopping, kill } = keep(t);
    stopping.abort();
    await kill();
    await delay(250); // the first restart would come after 100 ms
    assert.deepEqual(lines, []);
    assert.equal(started.length, 1);
});
