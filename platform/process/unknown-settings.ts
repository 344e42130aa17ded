import { nearest } from '../nearest.ts';
import type { Environment } from './config.ts';

/** Shorter names are similar to many variables of other programs. */
const MIN_LENGTH = 8;

/**
 * Returns the variables that look like misspelt settings, each with the setting that was probably meant. They may
 * belong to another program, so they are no error.
 */
export function misspeltSettings(env: Environment, settings: readonly string[]): Record<string, string> {
    const known = new Set(settings);
    const long = settings.filter((name) => name.length >= MIN_LENGTH);
    const found = Object.keys(env).flatMap((name): [string, string][] => {
        const meant = known.has(name) ? undefined : nearest(name, long, 2);
        return meant === undefined ? [] : [[name, meant]];
    });
    return Object.fromEntries(found);
}
