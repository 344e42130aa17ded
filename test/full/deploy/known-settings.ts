import { settingNames } from '../../../platform/process/config.ts';
import { addressSetting, databaseSetting } from '../../../platform/process/role-settings.ts';
import { SERVICE_ROLES } from '../../../proto/services.ts';

/** The names of all settings, with the addresses of the services. */
export const KNOWN_SETTINGS: readonly string[] = [
    ...settingNames,
    ...SERVICE_ROLES.flatMap((role) => [addressSetting(role), databaseSetting(role)]),
];
