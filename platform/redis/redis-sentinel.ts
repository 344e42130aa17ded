import type { RedisOptions } from 'ioredis';

/** Options of ioredis without replyMapping, which would change the types of all answers and is not set here. */
type SentinelOptions = Omit<RedisOptions, 'replyMapping'>;

/** Time limit for one sentinel to name the master, in milliseconds. Beyond it: the next one is asked. */
const SENTINEL_TIMEOUT_MS = 1_000;
/** The longest pause before all sentinels are asked again, in milliseconds. */
const MAX_PAUSE_MS = 1_000;

/** The form of the URL: scheme, user info, sentinels, master name, parameters. */
const FORM = /^(rediss?)-sentinel:\/\/(?:([^@/?]*)@)?([^@/?]+)\/([^/?]+)(?:\?(.*))?$/;
const PARAMETERS = ['db', 'sentinel_username', 'sentinel_password'];

/** True if the URL names the sentinels of a Redis: `redis-sentinel://`, or `rediss-sentinel://` for TLS. */
export function isSentinelUrl(url: string): boolean {
    return /^rediss?-sentinel:/.test(url);
}

/**
 * Parses `redis-sentinel://user:password@host:26379,host:26379/master?db=0&sentinel_username=…&sentinel_password=…`.
 * User and password are those of the data nodes. All parts but the sentinels and the master's name are optional. With
 * `rediss-sentinel:`, connections to the sentinels and the data nodes use TLS. Returns undefined if the URL has another
 * form.
 */
export function sentinelOptions(url: string): SentinelOptions | undefined {
    const [, scheme, access = '', hosts = '', master = '', query = ''] = FORM.exec(url) ?? [];
    const sentinels = hosts.split(',').map(sentinelAddress);
    const parameters = new URLSearchParams(query);
    const db = Number(parameters.get('db') ?? 0);
    const areKnown = Array.from(parameters.keys()).every((name) => PARAMETERS.includes(name));
    if (!scheme || !areKnown || !Number.isInteger(db) || db < 0 || sentinels.some((sentinel) => sentinel === undefined))
        return;
    const [username, password] = access.split(/:(.*)/s).map(decodeURIComponent);
    const tls = scheme === 'rediss' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true };
    return {
        sentinels: sentinels.filter((sentinel) => sentinel !== undefined),
        name: decodeURIComponent(master),
        db,
        ...(username && { username }),
        ...(password && { password }),
        ...(parameters.has('sentinel_username') && { sentinelUsername: parameters.get('sentinel_username') ?? '' }),
        ...(parameters.has('sentinel_password') && { sentinelPassword: parameters.get('sentinel_password') ?? '' }),
        ...tls,
        sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
        sentinelRetryStrategy: (attempt) => Math.min(100 * attempt, MAX_PAUSE_MS),
        failoverDetector: true, // a connection to a node that is no longer the master ends at once
    };
}

function sentinelAddress(host: string): { host: string; port: number } | undefined {
    const url = `redis://${host}`;
    if (!URL.canParse(url)) return undefined;
    const { hostname, port } = new URL(url);
    return hostname === '' ? undefined : { host: hostname, port: Number(port || 26_379) };
}
