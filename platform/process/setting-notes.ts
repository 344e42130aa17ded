import { z } from 'zod';

/** What the reference page says about a setting. */
export interface SettingNotes {
    group: (typeof SETTING_GROUPS)[number];
    help: string;
    /** If true, the setting `X` may also be given as the path of a file that holds it, in `X_FILE`. */
    secret?: true;
    /** The default in words, if it is not a fixed value. */
    default?: string;
}

/** The sections of the reference page, in order. */
export const SETTING_GROUPS = [
    'Process',
    'PostgreSQL and Redis',
    'Secrets and TLS',
    'Keys of managed issuers',
    'API keys and quotas',
    'Webhooks',
    'Limits and lists',
    'Cryptography',
    'Logs and traces',
    'Addresses of other processes',
] as const;

/** Creates the notes of a setting, in the form that `meta()` of zod accepts. */
export function notes(
    group: SettingNotes['group'],
    help: string,
    more: Omit<SettingNotes, 'group' | 'help'> = {},
): SettingNotes & Record<string, unknown> {
    return { group, help, ...more };
}

/** A setting that is a whole number from `least` to `most`. */
export const whole = (least: number, most: number) => {
    const error = `must be a whole number from ${least} to ${most}`;
    return z.coerce.number({ error }).int(error).min(least, error).max(most, error);
};
