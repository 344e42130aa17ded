import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { freePorts, launch, processesOf, runNpm, temporaryDataDir, until } from './launch.ts';

/** Returns the system's error code, or undefined if this process can listen on the port. */
async function listenError(port: number): Promise<string | undefined> {
    const server = createServer().listen(port, '127.0.0.1');
    const code = await Promise.race([
        once(server, 'listening').then(() => undefined),
        once(server, 'error').then(([error]) => error.code),
    ]).catch((error) => error.code);
    server.close();
    return code;
}

test('from the first answer of /readyz on, every connection is answered', async (t) => {
    const [PORT, GRPC_PORT, OPS_PORT] = (await freePorts(3)).map(String) as [string, string, string];
    const started = launch(t, 'start', { DATA_DIR: temporaryDataDir(t), PROCESSES: '2', PORT, GRPC_PORT, OPS_PORT });
    const isReady = () =>
        fetch(`http://127.0.0.1:${OPS_PORT}/readyz`)
            .then(({ ok }) => ok)
            .catch(() => false);
    await until('one process is ready', isReady);
    let hasStarted = false;
    const onEnd = () => {
        hasStarted = true;
    };
    void started.then(onEnd, onEnd);
    do {
        const answer = await fetch(`http://127.0.0.1:${PORT}/internal/health`, { headers: { Connection: 'close' } });
        assert.equal(answer.status, 200);
    } while (!hasStarted);
    await started;
});

for (const processes of ['1', '2']) {
    test(`a start with ${processes} processes holds its ports from the beginning, and a stop gives them back`, async (t) => {
        const dataDir = temporaryDataDir(t);
        const ports = await freePorts(3);
        const [PORT, GRPC_PORT, OPS_PORT] = ports.map(String) as [string, string, string];
        const settings = { DATA_DIR: dataDir, PROCESSES: processes, PORT, GRPC_PORT, OPS_PORT };
        const { signalGroup, exit } = runNpm(t, 'start', settings);
        await until('PostgreSQL is being set up', () => existsSync(`${dataDir}/postgres.new`));
        for (const port of ports) {
            assert.equal(await listenError(port), 'EADDRINUSE');
            await once(connect(port, '127.0.0.1'), 'close'); // nobody serves yet
        }
        signalGroup('SIGINT');
        assert.deepEqual(await exit, { code: 0, signal: null });
        assert.deepEqual(processesOf(dataDir), []);
        for (const port of ports) assert.equal(await listenError(port), undefined);
    });
}
