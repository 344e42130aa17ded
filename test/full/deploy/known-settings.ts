import { addressSetting } from '../../../platform/process/address-settings.ts';
import { settingNames } from '../../../platform/process/config.ts';
import { SERVICE_ROLES } from '../../../proto/services.ts';

/** The names of all settings, with the addresses of the services. */
export const KNOWN_SETTINGS: readonly string[] = [...settingNames, ...SERVICE_ROLES.map(addressSetting)];
