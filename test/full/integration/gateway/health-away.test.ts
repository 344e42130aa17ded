import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { it, type TestContext } from 'node:test';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { type Running, run } from '../../../../main.ts';
import type { Environment } from '../../../../platform/process/config.ts';
import { SERVICE_ROLES } from '../../../../proto/services.ts';
import { redisUrl, testDatabase } from '../../../support/harness.ts';

const { url: databaseUrl } = await testDatabase();
const identityPort = await pickPort();
const addresses = await Promise.all(
    SERVICE_ROLES.map(async (role) => {
        const port = role === 'identity' ? identityPort : await pickPort();
        return [`${role.toUpperCase()}_ADDRESS`, `127.0.0.1:${port}`] as const;
    }),
);
const settings: Environment = {
    ...Object.fromEntries(addresses),
    PORT: '0',
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    INTERNAL_SECRET: randomBytes(24).toString('base64url'),
    SERVICE_TOKEN: randomBytes(24).toString('base64url'),
    IDEMPOTENCY_PEPPER: 'the pepper of this test',
    KEK: randomBytes(32).toString('base64'),
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

it('health reports only the services that cannot be reached as down', async (t) => {
    const { urls } = await start(t, 'gateway');
    const health = async () => {
        const answer = await fetch(`${urls.http}/internal/health`);
        const { status, services } = (await answer.json()) as { status: string; services: object }; // by its schema
        return { answered: answer.status, status, ...services };
    };
    const cache = 'up';
    const degraded = { answered: 200, status: 'degraded', cache };
    assert.deepEqual(await health(), { ...degraded, database: 'down', storage: 'down' });
    await start(t, 'identity', { GRPC_PORT: String(identityPort) });
    assert.deepEqual(await health(), { ...degraded, database: 'up', storage: 'down' });
});
