import { existsSync, rmdirSync } from 'node:fs';
import { type Config, type Environment, loadConfig } from '../../platform/config.ts';
import { checkDatabase } from './check-database.ts';
import { openDataDir } from './data-dir.ts';
import type { Lifecycle } from './lifecycle.ts';
import { lockDataDir } from './lock.ts';
import { findProcesses, terminate } from './processes.ts';

export interface Ground {
    data_dir: string;
    config: Config;
    /** The settings as the user gave them; those that are empty are left out. */
    given: Environment;
}

/** Checks the settings, opens and locks the data folder, and ends what a killed launcher left there. */
export async function prepare({ stopping, defer }: Lifecycle): Promise<Ground> {
    const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
    const config = loadConfig(given);
    process.umask(0o077); // logs are nobody else's business
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

/** What a start that was refused has made. */
function removeEmpty(folder: string): void {
    try {
        rmdirSync(folder);
    } catch {
        // Something is in it: it was no refusal.
    }
}

/** Role processes end by themselves when their launcher is gone; this waits for it, so that their ports are free. */
async function stopOrphanedRoles(data_dir: string): Promise<void> {
    const orphans = findProcesses(
        ({ env }) => env.includes(`DATA_DIR=${data_dir}`) && env.includes('EXIT_WITH_PARENT=1'),
    );
    const how = { gently: 'SIGTERM', patience_ms: 15_000, firmly: 'SIGKILL' } as const;
    await Promise.all(orphans.map((pid) => terminate(pid, how)));
}
