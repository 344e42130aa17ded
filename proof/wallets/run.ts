import '../../deploy/local/node-version.ts';
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { startDatabases } from '../../test/runner/databases.ts';
import { runFiles } from '../../test/runner/files.ts';
import { lanes } from '../../test/runner/lanes.ts';
import { begin, closing, exceptInterrupted, workDir } from '../../test/runner/lifetime.ts';
import { startService } from '../../test/support/service.ts';
import { startFront } from './front.ts';

/** `npm run proof -- wallets`: two wallets that others have written take credentials from a running service, over TLS. */

async function main(): Promise<boolean> {
    const databases = await startDatabases();
    const front = await startFront();
    const service = await startService({
        transport: 'local',
        // startDatabases sets all of these.
        adminUrl: databases['TEST_ADMIN_URL'] as string,
        databaseUrl: databases['TEST_DATABASE_URL'] as string,
        redisUrl: databases['TEST_REDIS_URL'] as string,
        logDir: workDir,
        settings: { PUBLIC_URL: front.url },
    });
    try {
        const [gateway = ''] = (service.env['E2E_URLS'] ?? '').split(',');
        front.leadTo(gateway);
        const env = { ...databases, ...service.env, FRONT_URL: front.url, FRONT_CA: front.ca };
        const { passed, failed } = await runFiles('wallets', globSync('proof/wallets/*.test.ts'), {
            env,
            lanes: lanes(1),
        });
        console.log(`${passed} passed, ${failed} failed`);
        return failed === 0 && passed > 0;
    } finally {
        front.close();
        await service.stop();
    }
}

execFileSync('npm', ['run', '--silent', 'ensure'], { cwd: import.meta.dirname, stdio: 'inherit' });
begin();
let passed = false;
try {
    passed = await main();
} finally {
    await exceptInterrupted();
    await closing.disposeAsync();
}
process.exit(passed ? 0 : 1);
