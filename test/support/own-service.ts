import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../deploy/local/databases/postgres.ts';
import { startRedis } from '../../deploy/local/databases/redis.ts';
import { startService, type TestService, type Transport } from './service.ts';

export interface OwnService {
    service: TestService;
    /** As the superuser. */
    admin_url: string;
    redis_url: string;
    /** Where the processes log. */
    folder: string;
}

/** Starts the service with databases of its own, for a program that is no test file; `closing` ends and removes it all. */
export async function openOwnService(
    closing: AsyncDisposableStack,
    options: { transport: Transport; settings?: Record<string, string> },
): Promise<OwnService> {
    const folder = mkdtempSync(join(tmpdir(), 'credential-own-'));
    closing.defer(() => rmSync(folder, { recursive: true, force: true }));
    const databases = { data_dir: folder, log: () => {} };
    const [postgres, redis] = await Promise.all([startPostgres(databases), startRedis(databases)]);
    closing.defer(() => postgres.stop());
    closing.defer(() => redis.stop());
    const { admin_url, url: database_url } = postgres;
    const service = await startService({ ...options, admin_url, database_url, redis_url: redis.url, log_dir: folder });
    closing.defer(() => service.stop());
    return { service, admin_url, redis_url: redis.url, folder };
}
