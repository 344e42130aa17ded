import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../full/process/launch/launch.ts';
import { startService, type TestService } from '../support/service.ts';

const CLIENTS = 3;
/** Calls that must be answered between two steps of the rotation. */
const CALLS_PER_STEP = 30;

const logDir = mkdtempSync(join(tmpdir(), 'kek-rotation-'));
after(() => rmSync(logDir, { recursive: true }));
const kekFile = join(logDir, 'kek');
const [oldKek, newKek] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const use = (...keks: string[]) => writeFileSync(kekFile, keks.join('\n'));

it('a rotation of the key-encryption key and then of all data keys fails no call', async () => {
    use(oldKek);
    const service = await startService({
        transport: 'grpc',
        replicas: { signing: 2 },
        gateways: 1,
        // npm test sets all three
        adminUrl: process.env['TEST_ADMIN_URL'] as string,
        databaseUrl: process.env['TEST_DATABASE_URL'] as string,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        logDir,
        settings: { DATABASE_POOL: '2', SIGNATURE_THREADS: '1', PASSWORD_THREADS: '1', KEK_FILE: kekFile },
    });
    after(() => service.stop());
    const load = await startLoad(service);
    try {
        await load.go();
        use(oldKek, newKek);
        await restartSigning(service);
        await load.go();
        use(newKek, oldKek);
        await restartSigning(service);
        await load.go();
        assert.match(await rewrap(service), /[1-9]\d* rewrapped with kek-[0-9a-f]{16}, 0 left/);
        use(newKek); // the old one is not needed any more
        await restartSigning(service);
        await load.go();
        const before = new Date().toISOString();
        const printed = await rewrap(service, '--replace-before', before);
        assert.ok(printed.endsWith(`\n0 data keys from before ${before} are left\n`), printed);
        await load.go();
    } finally {
        await load.end();
    }
    console.log(`${load.seen.answered} calls answered, ${load.seen.failures.length} failed`);
    assert.deepEqual(load.seen.failures, []);
});

/** Replaces the two processes of signing one after the other, so that they read the key-encryption keys again. */
async function restartSigning(service: TestService): Promise<void> {
    for (const [index, { role }] of service.ops.entries()) {
        if (role === 'signing') await service.restart(index);
    }
}

/** Runs `npm run keys:rewrap` as an operator does. Returns what it prints. */
async function rewrap({ env }: TestService, ...options: string[]): Promise<string> {
    const settings = { DATABASE_URL: env['E2E_DATABASE_URL'], KEK_FILE: kekFile, PATH: process.env['PATH'] };
    const { stdout } = await promisify(execFile)(process.execPath, ['deploy/local/rewrap.ts', ...options], {
        env: settings,
    });
    return stdout;
}

/** Starts clients that issue for managed issuers and verify, and one that creates issuers of new accounts. */
async function startLoad({ env }: TestService) {
    Object.assign(process.env, env); // the end-to-end helpers find the service by these
    const { aManagedIssuer, issue, verify } = await import('../e2e/support/world.ts');
    const seen = { answered: 0, failures: [] as string[] };
    let over = false;
    const known = [await aManagedIssuer({ method: 'key' }), await aManagedIssuer({ method: 'web' })];

    async function issueAndVerify({ token, did }: (typeof known)[number]): Promise<void> {
        const { credential } = await issue(token, { did });
        assert.equal((await verify(token, credential, did)).valid, true);
        seen.answered += 2;
    }
    async function repeat(work: (turn: number) => Promise<void>): Promise<void> {
        for (let turn = 0; !over; turn++) {
            await work(turn).catch((error: Error) =>
                seen.failures.push(`${error.message} (${error.cause ?? 'no cause'})`),
            );
        }
    }
    const clients = [
        ...Array.from(
            { length: CLIENTS },
            () => repeat((turn) => issueAndVerify(known[turn % known.length] as (typeof known)[number])), // below the length
        ),
        repeat(async (turn) => {
            const made = await aManagedIssuer({ method: turn % 2 === 0 ? 'key' : 'web' });
            await issueAndVerify(made);
            known.push(made);
        }),
    ];
    return {
        seen,
        /** Resolves after some more calls. */
        async go(): Promise<void> {
            const enough = seen.answered + CALLS_PER_STEP;
            await until('clients have made some calls', () => seen.answered >= enough || seen.failures.length > 0);
        },
        async end(): Promise<void> {
            over = true;
            await Promise.all(clients);
        },
    };
}
