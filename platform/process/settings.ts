import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { redisUrlSetting } from '../redis/redis-url.ts';
import { baseUrlSetting } from './base-url.ts';
import { DATABASE_SETTINGS } from './database-settings.ts';
import { KEY_ENCRYPTION_SETTINGS } from './key-encryption-settings.ts';
import { KEY_SETTINGS } from './key-settings.ts';
import { originsSetting } from './origins-setting.ts';
import { roleSettings } from './role-settings.ts';
import { SECRET_SETTINGS } from './secret-settings.ts';
import { notes, type SettingNotes, whole } from './setting-notes.ts';
import { WEBHOOK_SETTINGS } from './webhook-settings.ts';

/**
 * All settings of all roles, by environment variable. This folder does not know the roles, so `<ROLE>_ADDRESS` stands
 * for the settings that `loadConfig` adds for them.
 */
export const SETTINGS = z.object({
    NODE_ENV: z
        .enum(['production', 'development', 'test'])
        .default('development')
        .meta(notes('Process', '`production` refuses weak secrets and settings that are meant for tests.')),
    HOST: z.string().default('127.0.0.1').meta(notes('Process', 'Address that the gateway listens on.')),
    PORT: whole(0, 65_535).default(8080).meta(notes('Process', 'Port of the gateway. 0 selects a free port.')),
    PUBLIC_URL: baseUrlSetting.meta(
        notes(
            'Process',
            'URL under which clients reach the gateway, such as `https://credentials.example`. Status lists and the DIDs of did:web issuers contain it, so it must never change. Production accepts only https, unless the host is `localhost`.',
            { default: 'none; `npm start` uses `http://localhost:PORT`' },
        ),
    ),
    OPS_PORT: whole(0, 65_535)
        .default(0)
        .meta(notes('Process', 'Port of `/livez`, `/readyz` and `/metrics`. 0 selects a free port.')),
    OPS_HOST: z
        .string()
        .optional()
        .meta(notes('Process', 'Address that the operations port listens on.', { default: 'HOST' })),
    GRPC_PORT: whole(0, 65_535)
        .default(0)
        .meta(
            notes(
                'Process',
                'Port of the gRPC services. 0 selects a free port. `npm run start:cluster` uses this port and the ones after it.',
            ),
        ),
    RPC_FRAMES: z
        .enum(['0', '1'])
        .default('1')
        .meta(
            notes(
                'Process',
                '`0`: this process calls the others with plain unary gRPC calls instead of frames. Use it to rule out the frame protocol while you look for a fault. It needs several times the CPU.',
            ),
        ),
    EXIT_WITH_PARENT: z
        .enum(['0', '1'])
        .default('0')
        .meta(notes('Process', '`1`: the process ends when its standard input closes.')),

    ...DATABASE_SETTINGS,
    REDIS_URL: redisUrlSetting.meta(
        notes(
            'PostgreSQL and Redis',
            'URL of Redis: `redis://user:password@host:6379/0`, or `rediss://` with TLS. Sentinels: `redis-sentinel://:password@host:26379,host:26379/master` or `rediss-sentinel://`. Nodes of a Redis Cluster: `redis-cluster://` or `rediss-cluster://`.',
            { secret: true, default: 'the local Redis of the launchers' },
        ),
    ),
    REDIS_SHARDS: whole(1, 1_024)
        .default(1)
        .meta(
            notes(
                'PostgreSQL and Redis',
                'Number of hash tags that Redis keys are distributed over. Use 16 on a Redis Cluster.',
            ),
        ),

    ...SECRET_SETTINGS,
    ...KEY_ENCRYPTION_SETTINGS,
    ...KEY_SETTINGS,
    ...WEBHOOK_SETTINGS,

    RATE_WINDOW_SECONDS: whole(1, 3_600)
        .default(60)
        .meta(
            notes('Limits and lists', 'Length of a rate limit window, in seconds. Values other than 60 are for tests.'),
        ),
    ANONYMOUS_LIMIT: whole(1, 1_000_000_000)
        .default(60_000)
        .meta(
            notes(
                'Limits and lists',
                'Maximum number of requests per minute from one address without a valid credential.',
            ),
        ),
    UNKNOWN_KEY_LIMIT: whole(1, 1_000_000_000)
        .default(600)
        .meta(
            notes(
                'Limits and lists',
                'Maximum number of look-ups per minute from one address: of unknown API keys, of keys and sessions of suspended accounts, and of the access tokens of wallets whose call does not succeed.',
            ),
        ),
    TRUST_PROXY: whole(0, 10)
        .default(0)
        .meta(
            notes('Limits and lists', 'Number of proxies in front of the gateway whose `X-Forwarded-For` is trusted.'),
        ),
    KEEP_ALIVE_SECONDS: whole(1, 3_600)
        .default(75)
        .meta(
            notes(
                'Limits and lists',
                'Seconds after which the gateway closes a connection without a request. It must be longer than the time for which the proxy or balancer in front keeps idle connections (often 60 s): otherwise requests that it sends at the last moment get no answer.',
            ),
        ),
    CORS_ORIGINS: originsSetting.meta(
        notes(
            'Limits and lists',
            'Origins that browsers may call from, such as `https://app.example`, separated by commas.',
        ),
    ),
    LIST_SCOPE: z
        .enum(['owner', 'platform'])
        .default('owner')
        .meta(
            notes(
                'Limits and lists',
                '`owner`: a list shows all credentials of a DID of the caller, and of other DIDs those that the caller issued. `platform`: all credentials.',
            ),
        ),

    IDEMPOTENCY_HOURS: whole(1, 72)
        .default(24)
        .meta(notes('Limits and lists', 'How long a call can be repeated with its `Idempotency-Key`, in hours.')),

    STATUS_LIST_SECONDS: whole(3, 3_600)
        .default(15)
        .meta(
            notes(
                'Limits and lists',
                'A status list that is fetched this many seconds after a revocation was answered shows the revocation. The publisher runs three times as often.',
            ),
        ),

    ARGON2_MEMORY_KIB: whole(8, 256 << 10)
        .default(19_456)
        .meta(
            notes('Cryptography', 'Memory of one password hash, in KiB. Production accepts no less than the default.'),
        ),
    ARGON2_PASSES: whole(1, 10)
        .default(2)
        .meta(notes('Cryptography', 'Passes of one password hash. Production accepts no less than the default.')),
    PASSWORD_THREADS: whole(1, 256)
        .default(availableParallelism())
        .meta(
            notes('Cryptography', 'Number of worker threads in roles that hash passwords.', {
                default: 'one per core; the processes of `npm start` share the cores',
            }),
        ),
    SIGNATURE_THREADS: whole(1, 256)
        .default(Math.max(1, availableParallelism() - 1))
        .meta(
            notes(
                'Cryptography',
                'Number of worker threads in roles that sign and verify. The default leaves a core for the event loop.',
                {
                    default: 'one less than the number of cores; the processes of `npm start` share the cores',
                },
            ),
        ),

    LOG_LEVEL: z
        .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .default('info')
        .meta(notes('Logs and traces', 'Least severe level that is logged.')),
    LOG_FILE: z
        .string()
        .optional()
        .meta(notes('Logs and traces', 'File for the log, one JSON object per line.', { default: 'standard output' })),
    OTLP_ENDPOINT: z
        .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
        .optional()
        .meta(
            notes('Logs and traces', 'Collector of traces (OTLP over HTTP), such as `http://collector:4318`.', {
                default: 'no traces',
            }),
        ),
    TRACE_SAMPLE: z.coerce
        .number()
        .min(0)
        .max(1)
        .default(1)
        .meta(notes('Logs and traces', 'Share of traces that are recorded, from 0 to 1.')),

    ...roleSettings(['<ROLE>']),
});

/** Returns the notes of a setting. Every setting has them. */
export function settingNotes(name: string): SettingNotes {
    const schema = SETTINGS.shape[name as keyof typeof SETTINGS.shape];
    return schema.meta() as unknown as SettingNotes;
}
