import type { CallerSettings } from './caller-settings.ts';
import { ConfigError } from './config.ts';

/** Throws ConfigError if a caller is granted a method that is not one of `paths`: such a right would do nothing. */
export function refuseUnknownMethods(callers: Record<string, CallerSettings>, paths: readonly string[]): void {
    const known = new Set(paths.flatMap((path) => [path, path.replace(/[^/]+$/, '*')]));
    for (const [caller, { methods }] of Object.entries(callers)) {
        const unknown = methods.find((method) => !known.has(method));
        if (unknown !== undefined)
            throw new ConfigError(`SERVICE_CALLERS: ${caller} may call ${unknown}, which no service has.`);
    }
}
