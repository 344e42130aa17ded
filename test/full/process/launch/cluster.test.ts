import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SERVICE_ROLES } from '../../../../proto/services.ts';
import { freePorts, launch, pidOf, processesOf, temporaryDataDir, until } from './launch.ts';
import { people } from './people.ts';

const LAUNCHER = /deploy\/local\/cluster\.ts/;
const ROLE = /main\.ts \w+/;

test('a role that is killed is restarted, and kill -9 of the launcher leaves no role behind', async (t) => {
    const dataDir = temporaryDataDir(t);
    const { register, canLogIn } = people(dataDir);
    const first = await launch(t, 'start:cluster', { DATA_DIR: dataDir });
    const before = await register(first.url);
    const withKek = processesOf(dataDir).filter(
        ({ pid, command }) => ROLE.test(command) && /\0KEK_FILE=/.test(readFileSync(`/proc/${pid}/environ`, 'utf8')),
    );
    assert.match(withKek.map(({ command }) => command).join('\n'), /^.*main\.ts signing$/);

    const killed = pidOf(dataDir, /main\.ts identity/);
    process.kill(killed, 'SIGKILL');
    await until('the role runs again', () => /identity runs again \(pid \d+\)/.test(first.output()));
    assert.notEqual(pidOf(dataDir, /main\.ts identity/), killed);
    assert.ok(await canLogIn(first.url, before), 'it serves again');

    const { acknowledged, gone } = people(dataDir).registerUntilGone(first.url);
    await until('some writes are acknowledged', () => acknowledged.length >= 5);
    process.kill(pidOf(dataDir, LAUNCHER), 'SIGKILL');
    await first.exit;
    await gone;
    await until('its roles are gone', () => !processesOf(dataDir).some(({ command }) => ROLE.test(command)));

    const second = await launch(t, 'start:cluster', { DATA_DIR: dataDir });
    for (const email of [before, ...acknowledged]) assert.ok(await canLogIn(second.url, email));
    second.npm.kill('SIGTERM');
    assert.deepEqual(await second.exit, { code: 0, signal: null });
    assert.deepEqual(processesOf(dataDir), []);
});

test('GATEWAYS=2 uses PORT and PORT + 1, services use ports from GRPC_PORT on, and Ctrl-C loses no write', async (t) => {
    const dataDir = temporaryDataDir(t);
    const { register, registerUntilGone, canLogIn } = people(dataDir);
    const [port = 0, nextPort = 0] = await freePorts(2);
    const [grpcPort = 0] = await freePorts(SERVICE_ROLES.length);
    const settings = { PORT: String(port), GATEWAYS: '2', GRPC_PORT: String(grpcPort) };
    const first = await launch(t, 'start:cluster', { DATA_DIR: dataDir, ...settings });
    for (const [index, role] of SERVICE_ROLES.entries()) {
        assert.match(first.output(), new RegExp(`^ +${role} +127\\.0\\.0\\.1:${grpcPort + index} `, 'm'));
    }
    const before = await register(`http://127.0.0.1:${nextPort}`);
    assert.ok(await canLogIn(`http://127.0.0.1:${port}`, before));

    const { acknowledged, gone } = registerUntilGone(first.url);
    await until('some writes are acknowledged', () => acknowledged.length >= 5);
    first.signalGroup('SIGINT');
    assert.deepEqual(await first.exit, { code: 0, signal: null });
    await gone;
    assert.deepEqual(processesOf(dataDir), []);

    const second = await launch(t, 'start', { DATA_DIR: dataDir });
    for (const email of [before, ...acknowledged])
        assert.ok(await canLogIn(second.url, email), 'an acknowledged write is lost');
    second.npm.kill('SIGTERM');
    await second.exit;
    assert.deepEqual(processesOf(dataDir), []);
});
