import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICE_ROLES } from '../../../proto/services.ts';
import { people } from '../canaries/people.ts';
import { freePorts, launch, pidOf, processesOf, temporaryDataDir, until } from './launch.ts';

const LAUNCHER = /deploy\/local\/cluster\.ts/;
const ROLE = /main\.ts \w+/;

test('a role that is killed comes back, and a kill -9 of the launcher leaves no role behind', async (t) => {
    const data_dir = temporaryDataDir(t);
    const { register, canLogIn } = people(data_dir);
    const first = await launch(t, 'start:cluster', { DATA_DIR: data_dir });
    const before = await register(first.url);

    const killed = pidOf(data_dir, /main\.ts identity/);
    process.kill(killed, 'SIGKILL');
    await until('the role runs again', () => /identity runs again \(pid \d+\)/.test(first.output()));
    assert.notEqual(pidOf(data_dir, /main\.ts identity/), killed);
    assert.ok(await canLogIn(first.url, before), 'it serves again');

    const { acknowledged, gone } = people(data_dir).registerUntilGone(first.url);
    await until('some writes are acknowledged', () => acknowledged.length >= 5);
    process.kill(pidOf(data_dir, LAUNCHER), 'SIGKILL');
    await first.exit;
    await gone;
    await until('its roles are gone', () => !processesOf(data_dir).some(({ command }) => ROLE.test(command)));

    const second = await launch(t, 'start:cluster', { DATA_DIR: data_dir });
    for (const email of [before, ...acknowledged]) assert.ok(await canLogIn(second.url, email));
    second.npm.kill('SIGTERM');
    assert.deepEqual(await second.exit, { code: 0, signal: null });
    assert.deepEqual(processesOf(data_dir), []);
});

test('GATEWAYS=2 serves on PORT and PORT + 1, services on GRPC_PORT and the next ones, and Ctrl-C stops every process without losing a write', async (t) => {
    const data_dir = temporaryDataDir(t);
    const { register, registerUntilGone, canLogIn } = people(data_dir);
    const [port = 0, next_port = 0] = await freePorts(2);
    const [grpc_port = 0] = await freePorts(SERVICE_ROLES.length);
    const settings = { PORT: String(port), GATEWAYS: '2', GRPC_PORT: String(grpc_port) };
    const first = await launch(t, 'start:cluster', { DATA_DIR: data_dir, ...settings });
    for (const [index, role] of SERVICE_ROLES.entries()) {
        assert.match(first.output(), new RegExp(`^ +${role} +127\\.0\\.0\\.1:${grpc_port + index} `, 'm'));
    }
    const before = await register(`http://127.0.0.1:${next_port}`);
    assert.ok(await canLogIn(`http://127.0.0.1:${port}`, before));

    const { acknowledged, gone } = registerUntilGone(first.url);
    await until('some writes are acknowledged', () => acknowledged.length >= 5);
    first.signalGroup('SIGINT');
    assert.deepEqual(await first.exit, { code: 0, signal: null });
    await gone;
    assert.deepEqual(processesOf(data_dir), []);

    const second = await launch(t, 'start', { DATA_DIR: data_dir });
    for (const email of [before, ...acknowledged])
        assert.ok(await canLogIn(second.url, email), 'an acknowledged write is gone');
    second.npm.kill('SIGTERM');
    await second.exit;
    assert.deepEqual(processesOf(data_dir), []);
});
