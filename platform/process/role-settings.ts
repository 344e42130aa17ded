import { z } from 'zod';
import { databaseUrlSetting } from '../postgres/database-url.ts';
import { notes } from './setting-notes.ts';

/** The name of the setting with the addresses of a role, such as `KEYS_ADDRESS`. */
export type AddressSetting = `${string}_ADDRESS`;
/** The name of the setting with the URL of a role's database, such as `DATABASE_URL_KEYS`. */
export type DatabaseSetting = `DATABASE_URL_${string}`;

const ADDRESSES = z
    .string()
    .regex(/^[^:,]+:\d+(,[^:,]+:\d+)*$/, 'must be host:port, or several of these separated by commas')
    .optional()
    .meta(
        notes(
            'Addresses of other processes',
            '`host:port` of a role if it runs in other processes: `KEYS_ADDRESS` for the role keys. Separate several addresses by commas; calls are distributed over all of them.',
        ),
    );

const DATABASE_URL = databaseUrlSetting.meta(
    notes(
        'PostgreSQL and Redis',
        'URL of the PostgreSQL with the schema of a role, if it has one of its own: `DATABASE_URL_KEYS` for the role keys. The processes of that role, of usage, and `migrate` need it.',
        { secret: true, default: '`DATABASE_URL`' },
    ),
);

/** Returns the name of the setting with the addresses of `role`. */
export function addressSetting(role: string): AddressSetting {
    return `${role.toUpperCase()}_ADDRESS`;
}

/** Returns the name of the setting with the URL of the database of `role`. */
export function databaseSetting(role: string): DatabaseSetting {
    return `DATABASE_URL_${role.toUpperCase()}`;
}

/** Returns the settings that each of `roles` has. */
export function roleSettings(roles: readonly string[]) {
    const addresses = roles.map((role) => [addressSetting(role), ADDRESSES] as const);
    const databases = roles.map((role) => [databaseSetting(role), DATABASE_URL] as const);
    return Object.fromEntries([...addresses, ...databases]) as Record<AddressSetting, typeof ADDRESSES> &
        Record<DatabaseSetting, typeof DATABASE_URL>;
}
