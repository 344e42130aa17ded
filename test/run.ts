import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../deploy/local/postgres.ts';
import { startRedis } from '../deploy/local/redis.ts';

const data_dir = mkdtempSync(join(tmpdir(), 'credential-test-'));
const log = () => {};
const [postgres, redis] = await Promise.all([startPostgres({ data_dir, log }), startRedis({ data_dir, log })]);
const child = spawn(process.execPath, ['--test', '--test-concurrency=2', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url },
});
child.on('exit', async (code) => {
    await Promise.all([postgres.stop(), redis.stop()]);
    rmSync(data_dir, { recursive: true });
    process.exit(code ?? 1);
});
