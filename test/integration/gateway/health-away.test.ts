import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { it, type TestContext } from 'node:test';
import { pickPort } from '../../../deploy/local/ports.ts';
import { type Running, run } from '../../../main.ts';
import type { Environment } from '../../../platform/process/config.ts';
import { SERVICE_ROLES } from '../../../proto/services.ts';
import { redisUrl, testDatabase } from '../../support/harness.ts';

const { url: database_url } = await testDatabase();
const identity_port = await pickPort();
const addresses = await Promise.all(
    SERVICE_ROLES.map(async (role) => {
        const port = role === 'identity' ? identity_port : await pickPort();
        return [`${role.toUpperCase()}_ADDRESS`, `127.0.0.1:${port}`] as const;
    }),
);
const settings: Environment = {
    ...Object.fromEntries(addresses),
    PORT: '0',
    REDIS_URL: redisUrl,
    DATABASE_URL: database_url,
    INTERNAL_SECRET: randomBytes(24).toString('base64url'),
    SERVICE_TOKEN: randomBytes(24).toString('base64url'),
    JWT_KEYS: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    PASSWORD_THREADS: '1',
    SIGNATURE_THREADS: '1',
    LOG_LEVEL: 'silent',
};

async function start(t: TestContext, role: string, more: Environment = {}): Promise<Running> {
    const running = await run([role], { ...settings, ...more });
    t.after(() => running.stop());
    return running;
}

it('health names the services that nobody can reach, and no others', async (t) => {
    const { urls } = await start(t, 'gateway');
    const health = async () => {
        const answer = await fetch(`${urls.http}/internal/health`);
        const { status, services } = (await answer.json()) as { status: string; services: object }; // its schema says so
        return { answered: answer.status, status, ...services };
    };
    const cache = 'up';
    const degraded = { answered: 200, status: 'degraded', cache };
    assert.deepEqual(await health(), { ...degraded, database: 'down', storage: 'down' });
    await start(t, 'identity', { GRPC_PORT: String(identity_port) });
    assert.deepEqual(await health(), { ...degraded, database: 'up', storage: 'down' });
});
