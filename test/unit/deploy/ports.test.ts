import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { it } from 'node:test';
import { LOOPBACK, pickPort, releasePort, reservePort } from '../../../deploy/local/ports.ts';

const MODULE = new URL('../../../deploy/local/ports.ts', import.meta.url).href;

/** Whether another process gets this port. */
function isFreeElsewhere(port: number): boolean {
    const script = `import { reservePort } from '${MODULE}'; console.log(await reservePort(${port}));`;
    return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }) === 'true\n';
}

it('no other process gets a port that one has chosen, until it is given back', async () => {
    const port = await pickPort();
    assert.equal(await reservePort(port), false);
    assert.equal(isFreeElsewhere(port), false);
    releasePort(port);
    assert.equal(isFreeElsewhere(port), true);
});

it('the choice of a port ends with a Problem if the process can open no more sockets', () => {
    const script = `import { pickPort } from '${MODULE}'; for (;;) await pickPort();`;
    const command = 'ulimit -n 40 && exec "$0" --input-type=module --eval "$1"';
    const { status, stderr } = spawnSync('sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /Problem: No free port from 20000 to 32767 was found on 127\.0\.0\.1\./);
});

it('a port is not reserved while something listens on it, and is free again afterwards', async () => {
    const port = await pickPort();
    releasePort(port);
    const server = createServer().listen(port, LOOPBACK);
    await once(server, 'listening');
    assert.equal(await reservePort(port), false);
    assert.equal(isFreeElsewhere(port), false);
    server.close();
    await once(server, 'close');
    assert.equal(await reservePort(port), true);
    releasePort(port);
});
