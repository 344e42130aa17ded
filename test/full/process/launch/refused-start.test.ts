import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { runNpm, temporaryDataDir } from './launch.ts';

/** Starts the service with settings that must be refused. Returns its output. */
async function refused(t: TestContext, settings: Record<string, string>): Promise<string> {
    const dataDir = temporaryDataDir(t);
    const { exit, output } = runNpm(t, 'start', { PORT: '0', ...settings, DATA_DIR: dataDir });
    assert.equal((await exit).code, 1);
    assert.equal(existsSync(dataDir), false, 'a folder is left behind');
    assert.doesNotMatch(output(), /^ +at /m, 'no stack');
    return output();
}

test('a start on a database that cannot be reached names the setting and the host, not the password', async (t) => {
    const output = await refused(t, { DATABASE_URL: 'postgresql://somebody:hunter22@127.0.0.1:1/elsewhere' });
    assert.match(output, /DATABASE_URL, at 127\.0\.0\.1:1, cannot be used: .*ECONNREFUSED/);
    assert.doesNotMatch(output, /hunter22/);
});

test('a start on a port in use names the port', async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    assert.match(await refused(t, { PORT: String(port) }), new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
    server.close();
});

test('a start with a setting that is no valid number says what it must be', async (t) => {
    assert.match(await refused(t, { PORT: 'abc' }), /PORT: must be a whole number from 0 to 65535/);
    assert.match(await refused(t, { DATABASE_POOL: '0' }), /DATABASE_POOL: must be a whole number from 1 to 100/);
});
