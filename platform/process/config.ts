import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { z } from 'zod';
import {
    type AddressSetting,
    addressSetting,
    type DatabaseSetting,
    databaseSetting,
    roleSettings,
} from './role-settings.ts';
import { SETTINGS, settingNotes } from './settings.ts';

export type Environment = Record<string, string | undefined>;

/** The names of all settings. `<ROLE>_ADDRESS` and `DATABASE_URL_<ROLE>` stand for one setting per role. */
export const settingNames: readonly string[] = Object.keys(SETTINGS.shape);

/** The validated settings, with the defaults that depend on other settings. */
export type Config = z.infer<typeof SETTINGS> & {
    KEY_TIER_POLICY: 'any' | 'cap';
    /** VAULT_TOKEN is its content at the start. */
    VAULT_TOKEN_FILE: string | undefined;
    [addresses: AddressSetting]: string | undefined;
    [databases: DatabaseSetting]: string | undefined;
};

/** A setting is missing or invalid. The message names it and never shows its value. */
export class ConfigError extends Error {}

/** Settings that may also be given as `X_FILE`. */
export const secretNames: readonly string[] = settingNames.filter((name) => settingNotes(name).secret);

/** Reads and validates all settings, with those of each of `roles`. Throws ConfigError. */
export function loadConfig(env: Environment, roles: readonly string[] = []): Config {
    const given = Object.fromEntries(Object.entries(readSecretFiles(env, roles)).filter(([, value]) => value !== ''));
    const parsed = SETTINGS.extend(roleSettings(roles)).safeParse(given);
    if (!parsed.success) {
        const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
        throw new ConfigError(`The settings are invalid:\n  ${faults.join('\n  ')}`);
    }
    const { KEY_TIER_POLICY, ...rest } = parsed.data;
    const config: Config = {
        ...rest,
        KEY_TIER_POLICY: KEY_TIER_POLICY ?? (rest.KEY_ENVIRONMENT === 'live' ? 'cap' : 'any'),
        VAULT_TOKEN_FILE: env['VAULT_TOKEN_FILE'] || undefined,
    };
    checkTls(config);
    if (config.CREDENTIAL_PARTS && config[databaseSetting('credentials')])
        throw new ConfigError('CREDENTIAL_PARTS and DATABASE_URL_CREDENTIALS are both set: set one of them.');
    if (config.NODE_ENV === 'production') refuseUnsafe(config, KEY_TIER_POLICY);
    return config;
}

/** Every variable that this program reads, with those of each of `roles`. */
export function variableNames(roles: readonly string[]): string[] {
    const files = secretsOf(roles).map((name) => `${name}_FILE`);
    return [...settingNames, ...roles.map(addressSetting), ...roles.map(databaseSetting), ...files];
}

function secretsOf(roles: readonly string[]): string[] {
    return [...secretNames, ...roles.map(databaseSetting)];
}

/** The environment of this process. No other code reads process.env. */
export function processEnvironment(): Environment {
    return process.env;
}

/** Returns the value of a setting that the started roles require. Throws ConfigError if it is missing. */
export function required<Name extends keyof Config>(config: Config, name: Name): NonNullable<Config[Name]> {
    const value = config[name];
    if (value === undefined || value === null) throw new ConfigError(`The setting ${name} is missing.`);
    return value;
}

/** Returns the URLs of the databases with the schema of `role`. Throws ConfigError if there is none. */
export function databaseUrls(config: Config, role: string): readonly string[] {
    if (role === 'credentials' && config.CREDENTIAL_PARTS) return config.CREDENTIAL_PARTS;
    return [config[databaseSetting(role)] ?? required(config, 'DATABASE_URL')];
}

/** Returns the URL of the first database with the schema of `role`. Throws ConfigError if there is none. */
export function databaseUrl(config: Config, role: string): string {
    return databaseUrls(config, role)[0] as string; // no list is empty
}

function readSecretFiles(env: Environment, roles: readonly string[]): Environment {
    const settings = { ...env };
    for (const name of secretsOf(roles)) {
        const file = env[`${name}_FILE`];
        if (!file) continue;
        if (env[name]) throw new ConfigError(`${name} and ${name}_FILE are both set: set one of them.`);
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
            'GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA must be PEM, and the key must belong to the certificate.',
        );
    }
}

/** Refuses, in production, settings that are meant for development and tests. */
function refuseUnsafe(config: Config, tierPolicy: Config['KEY_TIER_POLICY'] | undefined): void {
    for (const name of [
        'INTERNAL_SECRET',
        'INTERNAL_SECRET_PREVIOUS',
        'SERVICE_TOKEN',
        'IDEMPOTENCY_PEPPER',
    ] as const) {
        const values = [config[name] ?? []].flat();
        if (values.some((value) => value.length < 32 || new Set(value).size < 8)) {
            throw new ConfigError(
                `${name} is too short or too simple for production: use at least 32 random characters.`,
            );
        }
    }
    refuseUnsafeKeyEncryption(config);
    if (config.KEY_ENVIRONMENT === 'test' && tierPolicy === undefined) {
        throw new ConfigError(
            'In production, set KEY_ENVIRONMENT=live, or KEY_TIER_POLICY: with test keys, every account may otherwise make keys of every tier.',
        );
    }
    if (config.ARGON2_MEMORY_KIB < 19_456 || config.ARGON2_PASSES < 2) {
        throw new ConfigError('In production, ARGON2_MEMORY_KIB must be at least 19456 and ARGON2_PASSES at least 2.');
    }
    if (config.PUBLIC_URL?.startsWith('http:') && new URL(config.PUBLIC_URL).hostname !== 'localhost') {
        throw new ConfigError('PUBLIC_URL must be an https URL in production, unless its host is localhost.');
    }
    if (config.RATE_WINDOW_SECONDS !== 60) throw new ConfigError('RATE_WINDOW_SECONDS must be 60 in production.');
}

function refuseUnsafeKeyEncryption({ KEK: keks, VAULT_ADDR: vault }: Config): void {
    if (keks?.some((kek) => new Set(kek).size < 8))
        throw new ConfigError('KEK is too simple for production: use 32 random bytes.');
    if (vault === undefined) return;
    const { protocol, hostname } = new URL(vault);
    if (protocol === 'http:' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
        throw new ConfigError('VAULT_ADDR must be an https URL in production.');
}
