import { types } from 'node:util';
import { type AppError, invalid } from './errors.ts';

/**
 * AppError `invalid` where a text in `item`, however deep, is one that PostgreSQL cannot hold: NUL, lone surrogates. In a
 * statement for a group it would fail those of all others, too.
 */
export function refuseUnstorable(item: unknown): AppError | undefined {
    return isStorable(item) ? undefined : invalid('No text may hold NUL or lone surrogates.');
}

function isStorable(item: unknown): boolean {
    if (typeof item === 'string') return !item.includes('\0') && item.isWellFormed();
    if (typeof item !== 'object' || item === null || types.isUint8Array(item)) return true;
    if (Array.isArray(item)) return item.every(isStorable);
    for (const name in item) {
        if (!isStorable(item[name as keyof typeof item])) return false; // a name of its own, from the line above
    }
    return true;
}
