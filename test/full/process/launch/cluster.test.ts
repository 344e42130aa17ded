import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SERVICE_ROLES } from '../../../../proto/services.ts';
import { freePorts, launch, pidOf, processesOf, temporaryDataDir, until } from './launch.ts';
import { people } from './people.ts';

const LAUNCHER = /deploy\/local\/cluster\.ts/;
const ROLE = /main\.ts \w+/;

test('start:cluster keeps its roles running, and no end of it loses an acknowledged write', async (t) => {
    const dataDir = temporaryDataDir(t);
    const { register, registerUntilGone, canLogIn } = people(dataDir);
    const first = await launch(t, 'start:cluster', { DATA_DIR: dataDir });
    const written = [await register(first.url)];

    await t.test('only signing has the key-encryption key', () => {
        const withKek = processesOf(dataDir).filter(
            ({ pid, command }) =>
                ROLE.test(command) && /\0KEK_FILE=/.test(readFileSync(`/proc/${pid}/environ`, 'utf8')),
        );
        assert.match(withKek.map(({ command }) => command).join('\n'), /^.*main\.ts signing$/);
    });

    await t.test('a role that is killed is restarted', async () => {
        const killed = pidOf(dataDir, /main\.ts identity/);
        process.kill(killed, 'SIGKILL');
        await until('the role runs again', () => /identity runs again \(pid \d+\)/.test(first.output()));
        assert.notEqual(pidOf(dataDir, /main\.ts identity/), killed);
        for (const email of written) assert.ok(await canLogIn(first.url, email), 'it serves again');
    });

    await t.test('a role that hangs is restarted', async () => {
        process.kill(pidOf(dataDir, /main\.ts keys/), 'SIGSTOP'); // this one was ready when the launcher asked
        const replaced = /keys .*has not answered for 10 s, killing it\n.*\nkeys runs again/;
        await until('it runs again', () => replaced.test(first.output()));
    });

    await t.test('kill -9 of the launcher leaves no role behind', async () => {
        const { acknowledged, gone } = registerUntilGone(first.url);
        await until('some writes are acknowledged', () => acknowledged.length >= 5);
        process.kill(pidOf(dataDir, LAUNCHER), 'SIGKILL');
        await first.exit;
        await gone;
        written.push(...acknowledged);
        await until('its roles are gone', () => !processesOf(dataDir).some(({ command }) => ROLE.test(command)));
    });

    await t.test('GATEWAYS=2 uses PORT and PORT + 1, services use ports from GRPC_PORT on', async () => {
        const [port = 0, nextPort = 0] = await freePorts(2);
        const [grpcPort = 0] = await freePorts(SERVICE_ROLES.length);
        const settings = { PORT: String(port), GATEWAYS: '2', GRPC_PORT: String(grpcPort) };
        const second = await launch(t, 'start:cluster', { DATA_DIR: dataDir, ...settings });
        for (const [index, role] of SERVICE_ROLES.entries()) {
            assert.match(second.output(), new RegExp(`^ +${role} +127\\.0\\.0\\.1:${grpcPort + index} `, 'm'));
        }
        for (const email of written) assert.ok(await canLogIn(`http://127.0.0.1:${port}`, email));
        written.push(await register(`http://127.0.0.1:${nextPort}`));

        const { acknowledged, gone } = registerUntilGone(second.url);
        await until('some writes are acknowledged', () => acknowledged.length >= 5);
        second.signalGroup('SIGINT');
        assert.deepEqual(await second.exit, { code: 0, signal: null });
        await gone;
        written.push(...acknowledged);
        assert.deepEqual(processesOf(dataDir), []);
    });

    await t.test('npm start takes over its data folder', async () => {
        const third = await launch(t, 'start', { DATA_DIR: dataDir });
        for (const email of written) assert.ok(await canLogIn(third.url, email), 'an acknowledged write is lost');
        third.npm.kill('SIGTERM');
        await third.exit;
        assert.deepEqual(processesOf(dataDir), []);
    });
});
