import { isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import type { Environment } from '../../platform/process/config.ts';

import { isGiven } from './data-dir.ts';
import type { LaunchContext } from './prepare.ts';

/** The address at which a client on this machine reaches a port of the service. */
export function localUrl(host: string, port: number): string {
    const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** Formats the rows as lines of two aligned columns. */
export function columns(rows: Array<[string, string]>): string {
    const width = Math.max(...rows.map(([name]) => name.length));
    return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}

/** Rows for the banner: the addresses, files and policies of the service. */
export function describe(launchContext: LaunchContext, env: Environment): Array<[string, string]> {
    const { config, dataDir, given } = launchContext;
    const secret =
        given['INTERNAL_SECRET'] === undefined ? `in ${env['INTERNAL_SECRET_FILE']}` : 'as given by INTERNAL_SECRET';
    const tiers =
        config.KEY_TIER_POLICY === 'any'
            ? 'any (a key may have any tier)'
            : "cap (a key's tier may not exceed its account's tier)";
    return [
        ['Data', dataDir],
        ['PostgreSQL', whereabouts(env, 'DATABASE_URL', given, join(dataDir, 'postgres.log'))],
        ['Redis', whereabouts(env, 'REDIS_URL', given, join(dataDir, 'redis.log'))],
        ['Internal secret', `${secret} (header X-Internal-Secret)`],
        [
            'Key environment',
            `${config.KEY_ENVIRONMENT} (keys start with ${config.KEY_BRAND}_${config.KEY_ENVIRONMENT}_)`,
        ],
        ['Key tier policy', tiers],
    ];
}

/** Commands for the user to copy: register, log in, show the account. */
export function firstSteps(url: string, env: Environment): string {
    const secretFile = env['INTERNAL_SECRET_FILE'];
    const post = `curl -s -H 'Content-Type: application/json' -H "X-Internal-Secret: $SECRET"`;
    const person = `-d '{"email":"ada@example.com","password":"a long pass phrase"}'`;
    return [
        'Try it:',
        `  SECRET=${secretFile === undefined ? '"$INTERNAL_SECRET"' : `$(cat '${secretFile}')`}`,
        `  curl -s ${url}/internal/health`,
        `  ${post} ${person} ${url}/internal/v1/auth/register`,
        `  ${post} ${person} ${url}/internal/v1/auth/login`,
        `  curl -s -H "Authorization: Bearer <token>" ${url}/v1/me`,
        `  ${demoCommand(url, env)}    # a longer example, in another terminal`,
        'Stop with Ctrl-C.',
    ].join('\n');
}

/** `npm run demo`, with the settings that it needs to find this service. */
function demoCommand(url: string, env: Environment): string {
    const { DATA_DIR: dataDir = '', INTERNAL_SECRET_FILE: secretFile } = env;
    const settings: string[] = [];
    if (url !== 'http://127.0.0.1:8080') settings.push(`BASE_URL=${url}`);
    if (secretFile === undefined) settings.push('INTERNAL_SECRET="$INTERNAL_SECRET"');
    else if (secretFile !== join(dataDir, 'internal-secret')) {
        settings.push(`INTERNAL_SECRET="$(cat '${secretFile}')"`);
    } else if (dataDir !== resolve('.data')) settings.push(`DATA_DIR='${dataDir}'`);
    return [...settings, 'npm run demo'].join(' ');
}

/** Host, port and log file of a database, without its password. */
function whereabouts(env: Environment, setting: string, given: Environment, logFile: string): string {
    if (isGiven(given, setting)) return `as given by ${setting}`;
    return `${new URL(env[setting] ?? '').host} (log: ${logFile})`;
}
