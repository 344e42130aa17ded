import { existsSync, rmdirSync } from 'node:fs';
import { type Config, type Environment, loadConfig } from '../../platform/process/config.ts';
import { openDataDir } from './data-dir.ts';
import { checkDatabase } from './databases/check-database.ts';
import type { Lifecycle } from './lifecycle.ts';
import { lockDataDir } from './lock.ts';
import { findProcesses, terminate } from './processes.ts';

export interface LaunchContext {
    dataDir: string;
    config: Config;
    /** The settings as the user gave them, without empty ones. */
    given: Environment;
}

/** Checks the settings, opens and locks the data folder, and ends processes that a killed launcher left there. */
export async function prepare({ stopping, defer }: Lifecycle): Promise<LaunchContext> {
    const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
    const config = loadConfig(given);
    process.umask(0o077); // other users must not read logs
    const path = given['DATA_DIR'] ?? '.data';
    const isNew = !existsSync(path);
    const dataDir = openDataDir(path);
    if (isNew) defer(async () => removeEmpty(dataDir));
    const lock = await lockDataDir(dataDir, stopping);
    defer(lock.release);
    stopping.addEventListener('abort', lock.stopping);
    await stopOrphanedRoles(dataDir);
    if (config.DATABASE_URL !== undefined) await checkDatabase(config.DATABASE_URL);
    return { dataDir, config, given };
}

/** Removes the data folder that a refused start has created. */
function removeEmpty(folder: string): void {
    try {
        rmdirSync(folder);
    } catch {
        // The folder is not empty, so a start has used it.
    }
}

/** Ends the role processes of a killed launcher, and waits for it, so that their ports are free. */
async function stopOrphanedRoles(dataDir: string): Promise<void> {
    const orphans = findProcesses(
        ({ env }) => env.includes(`DATA_DIR=${dataDir}`) && env.includes('EXIT_WITH_PARENT=1'),
    );
    const how = { gently: 'SIGTERM', timeoutMs: 15_000, firmly: 'SIGKILL' } as const;
    await Promise.all(orphans.map((pid) => terminate(pid, how)));
}
