import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { it, type TestContext } from 'node:test';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { SERVICE_ROLES } from '../../../../proto/services.ts';
import { authority } from '../../../support/certificates.ts';
import { redisUrl, testDatabase } from '../../../support/harness.ts';
import { inherited } from '../../../support/members.ts';
import { until } from './launch.ts';

const { url: databaseUrl } = await testDatabase();
const grpcPort = await pickPort();
const settings = {
    ...inherited(),
    ...Object.fromEntries(SERVICE_ROLES.map((role) => [`${role.toUpperCase()}_ADDRESS`, `127.0.0.1:${grpcPort}`])),
    PORT: '0',
    REDIS_URL: redisUrl,
    INTERNAL_SECRET: randomBytes(24).toString('base64url'),
    SERVICE_TOKEN: randomBytes(24).toString('base64url'),
};
const serviceSettings = {
    DATABASE_URL: databaseUrl,
    IDEMPOTENCY_PEPPER: 'the pepper of this test',
    KEK: randomBytes(32).toString('base64'),
    JWT_KEYS: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    GRPC_PORT: String(grpcPort),
    PASSWORD_THREADS: '1',
    SIGNATURE_THREADS: '1',
};
const { cert, key } = authority('another').certify('a gateway');

/** Starts a process for `roles`. Returns access to its output and its operations server. */
async function start(t: TestContext, roles: readonly string[], more: Record<string, string>) {
    const ops = await pickPort();
    const child = spawn(process.execPath, ['main.ts', ...roles], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...settings, OPS_PORT: String(ops), ...more },
    });
    t.after(() => child.kill('SIGKILL'));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    async function get(path: string): Promise<{ status: number; text: string }> {
        const answer = await fetch(`http://127.0.0.1:${ops}${path}`);
        return { status: answer.status, text: await answer.text() };
    }
    return {
        output: () => output,
        get,
        ready: () => get('/readyz').catch(() => ({ status: 0, text: 'it does not listen yet' })),
        async stop() {
            child.kill('SIGTERM');
            await once(child, 'exit');
        },
    };
}

it('a gateway is ready once it has reached every service, reports why it is not, and then stays ready', async (t) => {
    const services = await start(t, SERVICE_ROLES, serviceSettings);
    await until('the services are ready', async () => (await services.ready()).status === 200);

    const wrong: Array<[more: Record<string, string>, reason: RegExp]> = [
        [{ SERVICE_TOKEN: 'another' }, /service token/],
        [{ GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key }, /SSL|TLS|packet|version/],
    ];
    for (const [more, reason] of wrong) {
        const gateway = await start(t, ['gateway'], more);
        const { status, text } = await until('every service has refused it', async () => {
            const answer = await gateway.ready();
            return (
                answer.text.split('\n').filter((line) => reason.test(line)).length === SERVICE_ROLES.length && answer
            );
        });
        assert.equal(status, 503);
        assert.match(text, /^not ready\n/);
        for (const role of SERVICE_ROLES) assert.match(text, new RegExp(`^${role}: `, 'm'));
        await until('the log has the reason', () => /"identity: .*"msg":"not ready"/.test(gateway.output()));
        await gateway.stop();
    }

    const gateway = await start(t, ['gateway'], {});
    await until('the gateway is ready', async () => (await gateway.ready()).status === 200);
    await services.stop();
    const open = /rpc_client_peers\{.*state="open"\} 1/;
    await until('it has lost every service', async () => !open.test((await gateway.get('/metrics')).text));
    assert.deepEqual(await gateway.ready(), { status: 200, text: 'ready\n' });
});

it('a service is not ready before it has reached the service that it calls', async (t) => {
    const credentials = await start(t, ['credentials'], { ...serviceSettings, GRPC_PORT: '0' });
    await until('it runs, and has not reached the other service', async () =>
        /^did: .*ECONNREFUSED/m.test((await credentials.ready()).text),
    );
    const did = await start(t, ['did'], serviceSettings);
    await until('it is ready', async () => (await credentials.ready()).status === 200);
    await did.stop();
});

it('a service is ready without those that it calls in the background, and says which it has not reached', async (t) => {
    const keys = await start(t, ['keys'], { ...serviceSettings, GRPC_PORT: '0' });
    await until('it is ready, with a remark', async () => {
        const { status, text } = await keys.ready();
        return status === 200 && /^events: .*ECONNREFUSED/m.test(text);
    });
    await keys.stop();
});
