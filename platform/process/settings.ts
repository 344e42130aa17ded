import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { databaseUrlSetting } from '../postgres/database-url.ts';
import { redisUrlSetting } from '../redis/redis-url.ts';
import { callersSetting, serviceTokensSetting } from './caller-settings.ts';
import { KEY_SETTINGS } from './key-settings.ts';
import { notes, type SettingNotes, whole } from './setting-notes.ts';

const MADE_BY_LAUNCHER = 'generated once by the launchers';

const secret = z.string().min(1).optional();
const address = z
    .string()
    .regex(/^[^:,]+:\d+(,[^:,]+:\d+)*$/, 'must be host:port, or several of these separated by commas')
    .optional();

/** All settings of all roles, by environment variable. */
export const SETTINGS = z.object({
    NODE_ENV: z
        .enum(['production', 'development', 'test'])
        .default('development')
        .meta(notes('Process', '`production` refuses weak secrets and settings that are meant for tests.')),
    HOST: z.string().default('127.0.0.1').meta(notes('Process', 'Address that the gateway listens on.')),
    PORT: whole(0, 65_535).default(8080).meta(notes('Process', 'Port of the gateway. 0 takes a free one.')),
    OPS_PORT: whole(0, 65_535)
        .default(0)
        .meta(notes('Process', 'Port of `/livez`, `/readyz` and `/metrics`. 0 takes a free one.')),
    GRPC_PORT: whole(0, 65_535)
        .default(0)
        .meta(
            notes(
                'Process',
                'Port of the gRPC services. 0 takes a free one. `npm run start:cluster` uses this port and the ones after it.',
            ),
        ),
    EXIT_WITH_PARENT: z
        .enum(['0', '1'])
        .default('0')
        .meta(notes('Process', '`1`: the process ends when its standard input closes.')),

    DATABASE_URL: databaseUrlSetting.meta(
        notes('PostgreSQL and Redis', 'URL of PostgreSQL, as `postgresql://user:password@host:5432/database`.', {
            secret: true,
            default: 'the embedded PostgreSQL of the launchers',
        }),
    ),
    DATABASE_POOL: whole(1, 100)
        .default(4)
        .meta(notes('PostgreSQL and Redis', 'Maximum number of connections to PostgreSQL per process.')),
    DATABASE_POOLER: z
        .enum(['none', 'transaction'])
        .default('none')
        .meta(
            notes(
                'PostgreSQL and Redis',
                '`transaction`: a pooler such as PgBouncer assigns a connection for one transaction at a time.',
            ),
        ),
    REDIS_URL: redisUrlSetting.meta(
        notes(
            'PostgreSQL and Redis',
            'URL of Redis: `redis://`, or `rediss://` with TLS. Sentinels: `redis-sentinel://:password@host:26379,host:26379/master` or `rediss-sentinel://`. Nodes of a Redis Cluster: `redis-cluster://` or `rediss-cluster://`.',
            { secret: true, default: 'the local Redis of the launchers' },
        ),
    ),
    REDIS_SHARDS: whole(1, 1_024)
        .default(1)
        .meta(
            notes('PostgreSQL and Redis', 'Number of hash tags that keys are spread over. Use 16 on a Redis Cluster.'),
        ),

    INTERNAL_SECRET: secret.meta(
        notes('Secrets and TLS', 'The `X-Internal-Secret` of trusted callers.', {
            secret: true,
            default: MADE_BY_LAUNCHER,
        }),
    ),
    INTERNAL_SECRET_PREVIOUS: secret.meta(
        notes('Secrets and TLS', 'A second `X-Internal-Secret` that is accepted while the secret is rotated.', {
            secret: true,
        }),
    ),
    SERVICE_TOKEN: serviceTokensSetting.meta(
        notes(
            'Secrets and TLS',
            'Token between the processes of this service. It may call every gRPC method. Several are separated by commas: the first is sent, all are accepted.',
            { secret: true, default: MADE_BY_LAUNCHER },
        ),
    ),
    SERVICE_CALLERS: callersSetting.meta(
        notes(
            'Secrets and TLS',
            'JSON: the other services that may call gRPC, and their methods ([gRPC guide](../grpc.md)).',
            { secret: true },
        ),
    ),
    GRPC_TLS_CERT: secret.meta(
        notes('Secrets and TLS', 'PEM certificate of gRPC between all processes.', { secret: true }),
    ),
    GRPC_TLS_KEY: secret.meta(notes('Secrets and TLS', 'PEM private key of `GRPC_TLS_CERT`.', { secret: true })),
    GRPC_TLS_CA: secret.meta(
        notes(
            'Secrets and TLS',
            'PEM certificate authority. Both sides of gRPC must then present certificates that it signed.',
            {
                secret: true,
            },
        ),
    ),
    GRPC_TLS_MUTUAL: z
        .enum(['0', '1'])
        .default('1')
        .meta(notes('Secrets and TLS', '`0`: with `GRPC_TLS_CA`, only servers must present a certificate.')),
    GRPC_CLEARTEXT: z
        .enum(['refuse', 'allow'])
        .default('refuse')
        .meta(
            notes(
                'Secrets and TLS',
                '`allow`: production accepts gRPC without TLS. Use it only where nobody else shares the network.',
            ),
        ),
    JWT_KEYS: secret.meta(
        notes(
            'Secrets and TLS',
            'Ed25519 keys of session tokens (PKCS#8 PEM, one after another). The first signs, all verify.',
            { secret: true, default: MADE_BY_LAUNCHER },
        ),
    ),
    ACCESS_TOKEN_SECONDS: whole(1, 86_400)
        .default(12 * 3_600)
        .meta(notes('Secrets and TLS', 'Lifetime of an access token, in seconds.')),
    REFRESH_TOKEN_SECONDS: whole(1, 90 * 86_400)
        .default(30 * 86_400)
        .meta(notes('Secrets and TLS', 'Lifetime of a refresh token, in seconds.')),

    ...KEY_SETTINGS,

    RATE_WINDOW_SECONDS: whole(1, 3_600)
        .default(60)
        .meta(notes('Limits and lists', 'Length of a rate limit window. Other values than 60 are for tests.')),
    ANONYMOUS_LIMIT: whole(1, 1_000_000_000)
        .default(60_000)
        .meta(notes('Limits and lists', 'Requests per minute and address without a valid credential.')),
    UNKNOWN_KEY_LIMIT: whole(1, 1_000_000_000)
        .default(600)
        .meta(notes('Limits and lists', 'Look-ups of unknown API keys per minute and address.')),
    TRUST_PROXY: whole(0, 10)
        .default(0)
        .meta(
            notes('Limits and lists', 'Number of proxies in front of the gateway whose `X-Forwarded-For` is trusted.'),
        ),
    CORS_ORIGINS: z
        .string()
        .default('')
        .meta(notes('Limits and lists', 'Origins that browsers may call from, separated by commas.')),
    LIST_SCOPE: z
        .enum(['owner', 'platform'])
        .default('owner')
        .meta(
            notes(
                'Limits and lists',
                '`owner`: lists show what concerns the caller. `platform`: they show everything.',
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
        .meta(notes('Cryptography', 'Worker threads of roles that hash passwords.', { default: 'one per core' })),
    SIGNATURE_THREADS: whole(1, 256)
        .default(Math.max(1, availableParallelism() - 1))
        .meta(
            notes('Cryptography', 'Worker threads of roles that sign and verify. The event loop keeps a core.', {
                default: 'one less than cores',
            }),
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
        .url({ protocol: /^https?$/, error: 'must be a URL of http or https' })
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
        .meta(notes('Logs and traces', 'Share of traces that is kept, from 0 to 1.')),

    IDENTITY_ADDRESS: address.meta(role('identity')),
    KEYS_ADDRESS: address.meta(role('keys')),
    DID_ADDRESS: address.meta(role('did')),
    CREDENTIALS_ADDRESS: address.meta(role('credentials')),
    PRESENTATIONS_ADDRESS: address.meta(role('presentations')),
    WALLET_ADDRESS: address.meta(role('wallet')),
    USAGE_ADDRESS: address.meta(role('usage')),
});

function role(name: string) {
    return notes(
        'Addresses of other processes',
        `\`host:port\` of the ${name} role if it runs in other processes. Several are separated by commas, and calls are spread over all.`,
    );
}

/** The notes of a setting. Every setting has them. */
export function settingNotes(name: string): SettingNotes {
    const schema = SETTINGS.shape[name as keyof typeof SETTINGS.shape];
    return schema.meta() as unknown as SettingNotes;
}
