import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { readDatabaseClock } from '../../../../platform/postgres/clock.store.ts';
import { SERVICE_ROLES } from '../../../../proto/services.ts';
import { redisUrl, testDatabase, testRedis } from '../../../support/harness.ts';
import { until } from '../launch/launch.ts';

const MINUTE_MS = 60_000;
const PRELOAD = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));
const [{ db, url: databaseUrl }, redis] = [await testDatabase(), await testRedis()];
const settings = {
    PATH: process.env['PATH'],
    REDIS_URL: redisUrl,
    INTERNAL_SECRET: randomBytes(24).toString('base64url'),
    SERVICE_TOKEN: randomBytes(24).toString('base64url'),
    DATABASE_URL: databaseUrl,
    IDEMPOTENCY_PEPPER: 'the pepper of this test',
    KEK: randomBytes(32).toString('base64'),
    JWT_KEYS: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ARGON2_MEMORY_KIB: '8',
    ARGON2_PASSES: '1',
    PASSWORD_THREADS: '1',
    SIGNATURE_THREADS: '1',
};

/** Starts a process for `roles` whose wall clock is `shiftMs` ahead. */
async function start(t: TestContext, roles: readonly string[], shiftMs: number, more: Record<string, string>) {
    const ops = await pickPort();
    const child = spawn(process.execPath, ['--import', PRELOAD, 'main.ts', ...roles], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...settings, CLOCK_SHIFT_MS: String(shiftMs), OPS_PORT: String(ops), ...more },
    });
    t.after(async () => {
        child.kill('SIGKILL');
        await once(child, 'exit');
    });
    const get = async (path: string) => {
        const answer = await fetch(`http://127.0.0.1:${ops}${path}`).catch(() => undefined);
        return { status: answer?.status, text: (await answer?.text()) ?? '' };
    };
    return {
        get,
        ready: async () => (await get('/readyz')).status === 200,
        async offsetS() {
            const line = /^clock_offset_seconds (\S+)$/m.exec((await get('/metrics')).text);
            return Number(line?.[1]);
        },
    };
}

/** Starts all services in one process and a gateway in another, each with a clock of its own. */
async function startBoth(t: TestContext, shifts: { servicesMs: number; gatewayMs: number }) {
    const [grpcPort, httpPort] = [await pickPort(), await pickPort()];
    const address = `127.0.0.1:${grpcPort}`;
    const addresses = Object.fromEntries(SERVICE_ROLES.map((role) => [`${role.toUpperCase()}_ADDRESS`, address]));
    const services = await start(t, SERVICE_ROLES, shifts.servicesMs, { GRPC_PORT: String(grpcPort), ...addresses });
    const gateway = await start(t, ['gateway'], shifts.gatewayMs, { PORT: String(httpPort), ...addresses });
    return { services, gateway, url: `http://127.0.0.1:${httpPort}` };
}

function near(what: string, actualMs: number, expectedMs: number): void {
    assert.ok(Math.abs(actualMs - expectedMs) <= 1_000, `${what} is ${actualMs - expectedMs} ms off`);
}

describe('a process whose clock is wrong', { timeout: 240_000 }, () => {
    for (const minutes of [2, -2, 9]) {
        it(`by ${minutes} minutes still uses the time of the database`, async (t) => {
            const shiftMs = minutes * MINUTE_MS;
            const { services, gateway, url } = await startBoth(t, { servicesMs: shiftMs, gatewayMs: -shiftMs });
            await until('both are ready', async () => (await services.ready()) && (await gateway.ready()));
            near('the offset of the services', (await services.offsetS()) * 1_000, -shiftMs);
            near('the offset of the gateway', (await gateway.offsetS()) * 1_000, shiftMs);

            const send = async (method: string, path: string, body?: object, token?: string) => {
                const headers = {
                    'Content-Type': 'application/json',
                    ...(path.startsWith('/internal/') && { 'X-Internal-Secret': settings.INTERNAL_SECRET }),
                    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
                };
                const answer = await fetch(`${url}${path}`, {
                    method,
                    headers,
                    body: body ? JSON.stringify(body) : null,
                });
                const { data, error } = (await answer.json()) as { data: Record<string, string>; error?: string };
                assert.ok(answer.ok, `${path}: ${answer.status} ${error}`);
                return { data, headers: answer.headers };
            };
            const person = {
                email: `${randomBytes(8).toString('hex')}@example.org`,
                password: 'correct horse battery',
            };
            const before = await readDatabaseClock(db);
            await send('POST', '/internal/v1/auth/register', person);
            const { data: session } = await send('POST', '/internal/v1/auth/login', person);
            const me = await send('GET', '/v1/me', undefined, session['token']);
            const claims = JSON.parse(
                Buffer.from((session['token'] ?? '').split('.')[1] ?? '', 'base64url').toString(),
            );
            near('iat', claims.iat * 1_000, Math.floor(before / 1_000) * 1_000);
            near('created_at', Date.parse(me.data['created_at'] ?? ''), before);

            const { data: own } = await send('POST', '/v1/did', {}, session['token']);
            const issuance = {
                issuer_did: own['did'],
                issuer_private_key: own['private_key'],
                subject_did: own['did'],
                credential_type: 'Membership',
                claims: {},
            };
            const now = await readDatabaseClock(db);
            const { data: issued } = await send('POST', '/v1/credentials', issuance, session['token']);
            near('issued_at', Date.parse(issued['issued_at'] ?? ''), now);

            const [seconds] = await redis.time();
            const left = Number(me.headers.get('x-ratelimit-reset')) - Number(seconds);
            assert.ok(left > 0 && left <= 61, `the window ends in ${left} s by the time of Redis`);
            assert.equal(me.headers.get('x-ratelimit-limit'), '600');
        });
    }

    it('by 11 minutes is not ready, and says why', async (t) => {
        const servicesTooLate = await startBoth(t, { servicesMs: -11 * MINUTE_MS, gatewayMs: 11 * MINUTE_MS });
        const { services, gateway } = servicesTooLate;
        const reasons: Array<[typeof services, RegExp]> = [
            [services, /^clock: this machine’s clock is 11\.0 minutes behind the database’s; at most 10 are allowed$/m],
            [
                gateway,
                /^clock: this machine’s clock is 11\.0 minutes ahead of the database’s; at most 10 are allowed$/m,
            ],
        ];
        for (const [process, reason] of reasons) {
            await until(`it says ${reason}`, async () => reason.test((await process.get('/readyz')).text));
            assert.equal((await process.get('/readyz')).status, 503);
        }
    });
});
