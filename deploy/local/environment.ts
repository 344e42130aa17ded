import { type Environment, required } from '../../platform/process/config.ts';
import { isGiven } from './data-dir.ts';
import { type LocalServer, type ServerOptions, startPostgres } from './databases/postgres.ts';
import { startRedis } from './databases/redis.ts';
import { keptSecrets } from './kept-secrets.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { LaunchContext } from './prepare.ts';
import { Problem } from './problem.ts';

/** How often the databases are checked, in milliseconds. */
const WATCH_MS = 250;

/** The public URL of a service on this machine, unless the user set one. DIDs with the method web need a host name. */
export function publicUrl(given: Environment, port: string): Environment {
    return given['PUBLIC_URL'] === undefined ? { PUBLIC_URL: `http://localhost:${port}` } : {};
}

/**
 * Starts the databases that the user did not provide. Returns the environment of the service. The user's settings take
 * precedence. Throws Problem.
 */
export async function serviceEnvironment(
    launchContext: LaunchContext,
    { stopping, defer }: Lifecycle,
): Promise<Environment & { DATA_DIR: string }> {
    const { config, dataDir, given } = launchContext;
    const start = async (
        setting: string,
        server: (options: ServerOptions) => Promise<LocalServer>,
    ): Promise<Environment> => {
        if (isGiven(given, setting)) return {};
        const started = await server({ dataDir, log: (line) => console.log(line), signal: stopping });
        const watch = failWhenGone(started, setting);
        defer(() => {
            clearInterval(watch);
            return started.stop();
        });
        return { [setting]: started.url };
    };
    // Waits for both: if one fails, the other must be registered with `defer` before the launcher stops everything.
    const started = await Promise.allSettled([start('DATABASE_URL', startPostgres), start('REDIS_URL', startRedis)]);
    const urls = started.map((outcome) => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
    });
    const databases: Environment = Object.assign({}, ...urls);
    const databaseUrl = databases['DATABASE_URL'] ?? required(config, 'DATABASE_URL');
    const secrets = await keptSecrets(launchContext, databaseUrl);
    return { ...given, DATA_DIR: dataDir, ...secrets, ...databases };
}

/** Ends the launcher if a database ends unexpectedly. The next start finds all acknowledged data. */
function failWhenGone({ isRunning }: LocalServer, setting: string): NodeJS.Timeout {
    const watch = setInterval(() => {
        if (isRunning()) return;
        clearInterval(watch);
        throw new Problem(`The server behind ${setting} has ended by itself; see its log in DATA_DIR. Start again.`);
    }, WATCH_MS);
    return watch.unref();
}

/** The settings of the key-encryption key, and the credentials of its provider. */
const KEY_ENCRYPTION = /^(KEK|VAULT|AWS)_|^KEK$/;

/** The environment of a process with one role: only signing gets the key-encryption key. */
export function roleEnvironment(role: string, env: Environment): Environment {
    if (role === 'signing') return env;
    return Object.fromEntries(Object.entries(env).filter(([name]) => !KEY_ENCRYPTION.test(name)));
}
