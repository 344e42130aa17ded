import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { callersSetting, serviceTokensSetting } from './caller-settings.ts';
import { databaseUrlSetting } from './database-url.ts';
import { redisUrlSetting } from './redis-url.ts';
import { tierSetting } from './tier-setting.ts';

export type Environment = Record<string, string | undefined>;

const whole = (least: number, most: number) => {
    const error = `must be a whole number from ${least} to ${most}`;
    return z.coerce.number({ error }).int(error).min(least, error).max(most, error);
};
const MIB = 2 ** 20;
const secret = z.string().min(1).optional();
const address = z
    .string()
    .regex(/^[^:,]+:\d+(,[^:,]+:\d+)*$/, 'must be host:port, or several of these separated by commas')
    .optional();

/** All settings of all roles, by environment variable. A secret `X` may also be given as `X_FILE`. */
const SETTINGS = z.object({
    NODE_ENV: z.enum(['production', 'development', 'test']).default('development'),
    HOST: z.string().default('127.0.0.1'),
    PORT: whole(0, 65_535).default(8080),
    OPS_PORT: whole(0, 65_535).default(0),
    GRPC_PORT: whole(0, 65_535).default(0),

    DATABASE_URL: databaseUrlSetting,
    DATABASE_POOL: whole(1, 100).default(4),
    DATABASE_POOLER: z.enum(['none', 'transaction']).default('none'),
    REDIS_URL: redisUrlSetting,
    REDIS_SHARDS: whole(1, 1_024).default(1),

    INTERNAL_SECRET: secret,
    INTERNAL_SECRET_PREVIOUS: secret,
    SERVICE_TOKEN: serviceTokensSetting,
    SERVICE_CALLERS: callersSetting,
    GRPC_TLS_CERT: secret,
    GRPC_TLS_KEY: secret,
    GRPC_TLS_CA: secret,
    GRPC_TLS_MUTUAL: z.enum(['0', '1']).default('1'),
    GRPC_CLEARTEXT: z.enum(['refuse', 'allow']).default('refuse'),
    JWT_KEYS: secret,
    ACCESS_TOKEN_SECONDS: whole(1, 86_400).default(12 * 3_600),
    REFRESH_TOKEN_SECONDS: whole(1, 90 * 86_400).default(30 * 86_400),

    KEY_BRAND: z
        .string()
        .regex(/^[a-z]{2,12}$/)
        .default('cred'),
    KEY_ENVIRONMENT: z.enum(['live', 'test']).default('test'),
    KEY_TIER_POLICY: z.enum(['any', 'cap']).optional(),
    KEY_LIMIT_FREE: whole(1, 1_000_000).default(20),
    KEY_LIMIT_BASIC: whole(1, 1_000_000).default(50),
    KEY_LIMIT_PRO: whole(1, 1_000_000).default(200),
    KEY_LIMIT_ENTERPRISE: whole(1, 1_000_000).default(1_000),

    QUOTA_WALLETS: tierSetting({ free: 1_000, basic: 10_000, pro: 100_000, enterprise: 1_000_000 }),
    QUOTA_WALLET_CREDENTIALS: tierSetting({ free: 10_000, basic: 100_000, pro: 1e6, enterprise: 10e6 }),
    QUOTA_WALLET_BYTES: tierSetting({
        free: 256 * MIB,
        basic: 1_024 * MIB,
        pro: 10_240 * MIB,
        enterprise: 102_400 * MIB,
    }),
    QUOTA_DIDS: tierSetting({ free: 10_000, basic: 100_000, pro: 1e6, enterprise: 10e6 }),
    QUOTA_KEYS: tierSetting({ free: 10_000, basic: 20_000, pro: 50_000, enterprise: 100_000 }),
    QUOTA_SESSIONS: tierSetting({ free: 200, basic: 500, pro: 1_000, enterprise: 2_000 }),

    RATE_WINDOW_SECONDS: whole(1, 3_600).default(60),
    ANONYMOUS_LIMIT: whole(1, 1_000_000_000).default(60_000),
    UNKNOWN_KEY_LIMIT: whole(1, 1_000_000_000).default(600),
    TRUST_PROXY: whole(0, 10).default(0),
    CORS_ORIGINS: z.string().default(''),
    LIST_SCOPE: z.enum(['owner', 'platform']).default('owner'),

    ARGON2_MEMORY_KIB: whole(8, 256 << 10).default(19_456),
    ARGON2_PASSES: whole(1, 10).default(2),
    PASSWORD_THREADS: whole(1, 256).default(availableParallelism()),
    SIGNATURE_THREADS: whole(1, 256).default(Math.max(1, availableParallelism() - 1)),

    LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    LOG_FILE: z.string().optional(),
    OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be a URL of http or https' }).optional(),
    TRACE_SAMPLE: z.coerce.number().min(0).max(1).default(1),
    EXIT_WITH_PARENT: z.enum(['0', '1']).default('0'),

    IDENTITY_ADDRESS: address,
    KEYS_ADDRESS: address,
    DID_ADDRESS: address,
    CREDENTIALS_ADDRESS: address,
    PRESENTATIONS_ADDRESS: address,
    WALLET_ADDRESS: address,
    USAGE_ADDRESS: address,
});

export const settingNames: readonly string[] = Object.keys(SETTINGS.shape);

/** The validated settings, with the defaults that depend on other settings. */
export type Config = z.infer<typeof SETTINGS> & { KEY_TIER_POLICY: 'any' | 'cap' };

/** A setting is missing or invalid. The message names it and never shows its value. */
export class ConfigError extends Error {}

/** Settings that may also be given as `X_FILE`. */
export const secretNames: readonly string[] = [
    'DATABASE_URL',
    'REDIS_URL',
    'INTERNAL_SECRET',
    'INTERNAL_SECRET_PREVIOUS',
    'SERVICE_TOKEN',
    'SERVICE_CALLERS',
    'GRPC_TLS_CERT',
    'GRPC_TLS_KEY',
    'GRPC_TLS_CA',
    'JWT_KEYS',
];

/** Reads and validates all settings. Throws ConfigError. */
export function loadConfig(env: Environment): Config {
    const given = Object.fromEntries(Object.entries(readSecretFiles(env)).filter(([, value]) => value !== ''));
    const parsed = SETTINGS.safeParse(given);
    if (!parsed.success) {
        const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
        throw new ConfigError(`The settings are invalid:\n  ${faults.join('\n  ')}`);
    }
    const { KEY_TIER_POLICY, ...rest } = parsed.data;
    const config: Config = {
        ...rest,
        KEY_TIER_POLICY: KEY_TIER_POLICY ?? (rest.KEY_ENVIRONMENT === 'live' ? 'cap' : 'any'),
    };
    checkTls(config);
    if (config.NODE_ENV === 'production') refuseUnsafe(config);
    return config;
}

/** The environment of this process. Nothing else reads it. */
export function processEnvironment(): Environment {
    return process.env;
}

/** The value of a setting that the started roles require. */
export function required<Name extends keyof Config>(config: Config, name: Name): NonNullable<Config[Name]> {
    const value = config[name];
    if (value === undefined || value === null) throw new ConfigError(`The setting ${name} is missing.`);
    return value;
}

function readSecretFiles(env: Environment): Environment {
    const settings = { ...env };
    for (const name of secretNames) {
        const file = env[`${name}_FILE`];
        if (!file) continue;
        try {
            settings[name] = readFileSync(file, 'utf8').trim();
        } catch {
            throw new ConfigError(`The file that ${name}_FILE names cannot be read.`);
        }
    }
    return settings;
}

function checkTls({ GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key, GRPC_TLS_CA: ca }: Config): void {
    if (cert === undefined && key === undefined && ca === undefined) return;
    if (cert === undefined || key === undefined)
        throw new ConfigError('GRPC_TLS_CERT and GRPC_TLS_KEY must be set together.');
    try {
        createSecureContext({ cert, key, ca });
    } catch {
        throw new ConfigError(
            'GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA must be PEM, and the key the certificate’s.',
        );
    }
}

/** Refuses settings for development and tests in production. */
function refuseUnsafe(config: Config): void {
    for (const name of ['INTERNAL_SECRET', 'INTERNAL_SECRET_PREVIOUS', 'SERVICE_TOKEN'] as const) {
        const values = [config[name] ?? []].flat();
        if (values.some((value) => value.length < 32 || new Set(value).size < 8)) {
            throw new ConfigError(
                `${name} is too short or too simple for production: give at least 32 random characters.`,
            );
        }
    }
    if (config.ARGON2_MEMORY_KIB < 19_456 || config.ARGON2_PASSES < 2) {
        throw new ConfigError('ARGON2_MEMORY_KIB and ARGON2_PASSES may not go below 19456 and 2 in production.');
    }
    if (config.RATE_WINDOW_SECONDS !== 60) throw new ConfigError('RATE_WINDOW_SECONDS is 60 in production.');
}
