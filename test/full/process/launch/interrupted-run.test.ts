import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { CLONE, processesOf, until } from './launch.ts';

it('a test run that gets SIGTERM leaves no process or file behind, its service under test included', async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'interrupted-run-'));
    const run = spawn(process.execPath, ['test/run.ts', 'test/e2e/http'], {
        cwd: CLONE,
        stdio: 'ignore',
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: dir },
    });
    t.after(() => {
        for (const { pid } of processesOf(dir)) process.kill(pid, 'SIGKILL');
        rmSync(dir, { recursive: true, force: true });
    });
    const commands = () => processesOf(dir).map(({ command }) => command);
    await until('the end-to-end tests run', () =>
        ['main.ts all', '--test ', 'test/e2e/http/', 'postgres -D'].every((part) =>
            commands().some((command) => command.includes(part)),
        ),
    );
    run.kill('SIGTERM');
    assert.deepEqual(await once(run, 'exit'), [143, null]);
    assert.deepEqual(commands(), []);
    assert.deepEqual(readdirSync(dir), []);
});
