import { z } from 'zod';
import { notes } from './setting-notes.ts';

/** The name of the setting with the addresses of a role, such as `KEYS_ADDRESS`. */
export type AddressSetting = `${string}_ADDRESS`;

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

/** Returns the name of the setting with the addresses of `role`. */
export function addressSetting(role: string): AddressSetting {
    return `${role.toUpperCase()}_ADDRESS`;
}

/** Returns the settings with the addresses of `roles`. */
export function addressSettings(roles: readonly string[]): Record<AddressSetting, typeof ADDRESSES> {
    return Object.fromEntries(roles.map((role) => [addressSetting(role), ADDRESSES]));
}
