import { existsSync, rmdirSync } from 'node:fs';
import { type Config, type Environment, loadConfig } from '../../platform/process/config.ts';
import { openDataDir } from './data-dir.ts';
import { checkDatabase } from './databases/check-database.ts';
import type { Lifecycle } from './lifecycle.ts';
import { lockDataDir } from './lock.ts';
import { findProcesses, terminate } from './processes.ts';

export interface LaunchContext {
    data_dir: string;
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
    const is_new = !existsSync(path);
    const data_dir = openDataDir(path);
    if (is_new) defer(async () => removeEmpty(data_dir));
    const lock = await lockDataDir(data_dir, stopping);
    defer(lock.release);
    stopping.addEventListener('abort', lock.stopping);
    await stopOrphanedRoles(data_dir);
    if (config.DATABASE_URL !== undefined) await checkDatabase(config.DATABASE_URL);
    return { data_dir, config, given };
}

/** What a refused start has created. */
function removeEmpty(folder: string): void {
    try {
        rmdirSync(folder);
    } catch {
        // It is not empty, so it was not created just now.
    }
}

/** Role processes end by themselves when their launcher is gone. This waits for it, so that their ports are free. */
async function stopOrphanedRoles(data_dir: string): Promise<void> {
    const orphans = findProcesses(
        ({ env }) => env.includes(`DATA_DIR=${data_dir}`) && env.includes('EXIT_WITH_PARENT=1'),
    );
    const how = { gently: 'SIGTERM', patience_ms: 15_000, firmly: 'SIGKILL' } as const;
    await Promise.all(orphans.map((pid) => terminate(pid, how)));
}
