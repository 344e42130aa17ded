import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../deploy/local/databases/postgres.ts';
import { startRedis } from '../../deploy/local/databases/redis.ts';
import { startService, type TestService, type Transport } from './service.ts';

interface OwnService {
    service: TestService;
    /** URL of PostgreSQL as the superuser. */
    adminUrl: string;
    redisUrl: string;
    /** Folder of the processes' logs. */
    folder: string;
}

/**
 * Starts the service with its own databases, for a program that is no test file. `closing` stops and removes
 * everything.
 */
export async function openOwnService(
    closing: AsyncDisposableStack,
    options: { transport: Transport; settings?: Record<string, string> },
): Promise<OwnService> {
    const folder = mkdtempSync(join(tmpdir(), 'credential-own-'));
    closing.defer(() => rmSync(folder, { recursive: true, force: true }));
    const databases = { dataDir: folder, log: () => {} };
    const [postgres, redis] = await Promise.all([startPostgres(databases), startRedis(databases)]);
    closing.defer(() => postgres.stop());
    closing.defer(() => redis.stop());
    const { adminUrl, url: databaseUrl } = postgres;
    const service = await startService({ ...options, adminUrl, databaseUrl, redisUrl: redis.url, logDir: folder });
    closing.defer(() => service.stop());
    return { service, adminUrl, redisUrl: redis.url, folder };
}
