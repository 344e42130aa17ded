import { join } from 'node:path';
import type { Environment } from '../../platform/process/config.ts';
import { keptSecret, keptSigningKey } from './data-dir.ts';
import { type LocalServer, type ServerOptions, startPostgres } from './databases/postgres.ts';
import { startRedis } from './databases/redis.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { LaunchContext } from './prepare.ts';
import { Problem } from './problem.ts';

/** How often the databases are checked, in milliseconds. */
const WATCH_MS = 250;

/** True if the user set it, directly or as the path of a file. */
export function isGiven(given: Environment, name: string): boolean {
    return given[name] !== undefined || given[`${name}_FILE`] !== undefined;
}

/**
 * Starts the databases that the user did not provide. Returns the environment of the service: the user's settings win.
 */
export async function serviceEnvironment(
    launchContext: LaunchContext,
    { stopping, defer }: Lifecycle,
): Promise<Environment> {
    const { data_dir, given } = launchContext;
    const start = async (
        setting: string,
        server: (options: ServerOptions) => Promise<LocalServer>,
    ): Promise<Environment> => {
        if (isGiven(given, setting)) return {};
        const started = await server({ data_dir, log: (line) => console.log(line), signal: stopping });
        const watch = failWhenGone(started, setting);
        defer(() => {
            clearInterval(watch);
            return started.stop();
        });
        return { [setting]: started.url };
    };
    // Waits for both: what starts next to a failure must be registered before anything is stopped.
    const started = await Promise.allSettled([start('DATABASE_URL', startPostgres), start('REDIS_URL', startRedis)]);
    const urls = started.map((outcome) => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
    });
    return Object.assign({ ...given, DATA_DIR: data_dir, ...keptSecrets(launchContext) }, ...urls);
}

/** A database that ends unexpectedly ends the launcher: the next start finds everything that was acknowledged. */
function failWhenGone({ isRunning }: LocalServer, setting: string): NodeJS.Timeout {
    const watch = setInterval(() => {
        if (isRunning()) return;
        clearInterval(watch);
        throw new Problem(`The server behind ${setting} has ended by itself; see its log in DATA_DIR. Start again.`);
    }, WATCH_MS);
    return watch.unref();
}

/** Secrets are passed as paths, so that process lists do not show them. */
function keptSecrets({ data_dir, given }: LaunchContext): Environment {
    const kept: Environment = {};
    if (!isGiven(given, 'INTERNAL_SECRET')) kept['INTERNAL_SECRET_FILE'] = secretFile(data_dir, 'internal-secret');
    if (!isGiven(given, 'SERVICE_TOKEN')) kept['SERVICE_TOKEN_FILE'] = secretFile(data_dir, 'service-token');
    if (!isGiven(given, 'JWT_KEYS')) kept['JWT_KEYS_FILE'] = keptSigningKey(data_dir);
    return kept;
}

function secretFile(data_dir: string, name: string): string {
    keptSecret(data_dir, name);
    return join(data_dir, name);
}
