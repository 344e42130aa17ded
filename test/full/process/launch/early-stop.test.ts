import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { inherited } from '../../../support/members.ts';

it('a process that still waits for its database handles SIGTERM and exits with 0', async (t) => {
    const service = spawn(process.execPath, ['main.ts', 'did'], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
            ...inherited(),
            DATABASE_URL: 'postgresql://nobody:nothing@127.0.0.1:1/none',
            REDIS_URL: process.env['TEST_REDIS_URL'],
            SERVICE_TOKEN: 'a token of this test',
        },
    });
    t.after(() => service.kill('SIGKILL'));
    let output = '';
    for await (const text of service.stdout.setEncoding('utf8')) {
        output += text;
        if (output.includes('waiting for the database')) break;
    }
    service.kill('SIGTERM');
    assert.deepEqual(await once(service, 'exit'), [0, null]);
});
