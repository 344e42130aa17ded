import { isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import type { Environment } from '../../platform/process/config.ts';
import { isGiven } from './environment.ts';
import type { LaunchContext } from './prepare.ts';

/** The address at which a client on this machine reaches a port of the service. */
export function localUrl(host: string, port: number): string {
    const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** Lines of two aligned columns. */
export function columns(rows: Array<[string, string]>): string {
    const width = Math.max(...rows.map(([name]) => name.length));
    return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}

/** The addresses and files of the service, and its policies. */
export function describe(launchContext: LaunchContext, env: Environment): Array<[string, string]> {
    const { config, data_dir, given } = launchContext;
    const secret =
        given['INTERNAL_SECRET'] === undefined ? `in ${env['INTERNAL_SECRET_FILE']}` : 'as given by INTERNAL_SECRET';
    const tiers =
        config.KEY_TIER_POLICY === 'any'
            ? 'any (a key may have any tier)'
            : "cap (a key's tier may not exceed its account's)";
    return [
        ['Data', data_dir],
        ['PostgreSQL', whereabouts(env, 'DATABASE_URL', given, join(data_dir, 'postgres.log'))],
        ['Redis', whereabouts(env, 'REDIS_URL', given, join(data_dir, 'redis.log'))],
        ['Internal secret', `${secret} (header X-Internal-Secret)`],
        [
            'Key environment',
            `${config.KEY_ENVIRONMENT} (keys start with ${config.KEY_BRAND}_${config.KEY_ENVIRONMENT}_)`,
        ],
        ['Key tier policy', tiers],
    ];
}

/** Commands to copy: register, log in, show the account. */
export function firstSteps(url: string, env: Environment): string {
    const secret_file = env['INTERNAL_SECRET_FILE'];
    const post = `curl -s -H 'Content-Type: application/json' -H "X-Internal-Secret: $SECRET"`;
    const person = `-d '{"email":"ada@example.com","password":"a long pass phrase"}'`;
    return [
        'Try it:',
        `  SECRET=${secret_file === undefined ? '"$INTERNAL_SECRET"' : `$(cat '${secret_file}')`}`,
        `  curl -s ${url}/internal/health`,
        `  ${post} ${person} ${url}/internal/v1/auth/register`,
        `  ${post} ${person} ${url}/internal/v1/auth/login`,
        `  curl -s -H "Authorization: Bearer <token>" ${url}/v1/me`,
        `  ${demoCommand(url, env)}    # the whole story, in another terminal`,
        'Stop with Ctrl-C.',
    ].join('\n');
}

/** `npm run demo`, with the settings that it needs to find this service. */
function demoCommand(url: string, env: Environment): string {
    const { DATA_DIR: data_dir = '', INTERNAL_SECRET_FILE: secret_file } = env;
    const settings: string[] = [];
    if (url !== 'http://127.0.0.1:8080') settings.push(`BASE_URL=${url}`);
    if (secret_file === undefined) settings.push('INTERNAL_SECRET="$INTERNAL_SECRET"');
    else if (secret_file !== join(data_dir, 'internal-secret')) {
        settings.push(`INTERNAL_SECRET="$(cat '${secret_file}')"`);
    } else if (data_dir !== resolve('.data')) settings.push(`DATA_DIR='${data_dir}'`);
    return [...settings, 'npm run demo'].join(' ');
}

/** Host and port of a database, without its password. */
function whereabouts(env: Environment, setting: string, given: Environment, log_file: string): string {
    if (isGiven(given, setting)) return `as given by ${setting}`;
    return `${new URL(env[setting] ?? '').host} (log: ${log_file})`;
}
