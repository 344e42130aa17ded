import { types } from 'node:util';
import { type AppError, invalid } from '../errors.ts';

/**
 * Returns AppError `invalid` if `item` has, at any depth, a text that PostgreSQL cannot store: one with NUL or lone
 * surrogates. In a batch, such a text would fail all other items, too.
 */
export function refuseUnstorable(item: unknown): AppError | undefined {
    return isStorable(item) ? undefined : invalid('No text may hold NUL or lone surrogates.');
}

function isStorable(item: unknown): boolean {
    if (typeof item === 'string') return !item.includes('\0') && item.isWellFormed();
    if (typeof item !== 'object' || item === null || types.isUint8Array(item)) return true;
    if (Array.isArray(item)) return item.every(isStorable);
    for (const name in item) {
        if (!isStorable(item[name as keyof typeof item])) return false; // `name` is one of the item's keys
    }
    return true;
}
