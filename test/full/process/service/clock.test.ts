import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { SERVICE_ROLES } from '../../../../proto/services.ts';
import { redisUrl, testDatabase } from '../../../support/harness.ts';
import { inherited } from '../../../support/members.ts';
import { until } from '../launch/launch.ts';

const PRELOAD = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));
const { url: databaseUrl } = await testDatabase();
const settings = {
    ...inherited(),
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
    return { services, gateway };
}

describe('a process whose clock is wrong', { timeout: 240_000 }, () => {
    it('is not ready, says why, and exports the offset', async (t) => {
        const { services, gateway } = await startBoth(t, { servicesMs: -7_000, gatewayMs: 7_000 });
        const reasons: Array<[typeof services, RegExp, number]> = [
            [services, /^clock: this machine’s clock is [67]\.\d s behind the database’s; at most 5 are allowed$/m, 7],
            [
                gateway,
                /^clock: this machine’s clock is [67]\.\d s ahead of the database’s; at most 5 are allowed$/m,
                -7,
            ],
        ];
        for (const [process, reason, offsetS] of reasons) {
            await until(`it says ${reason}`, async () => reason.test((await process.get('/readyz')).text));
            assert.equal((await process.get('/readyz')).status, 503);
            const isNear = async () => Math.abs((await process.offsetS()) - offsetS) < 1;
            await until('it has measured the offset without a delay', isNear);
        }
    });
});
