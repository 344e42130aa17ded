import { AppError } from '../platform/errors.ts';

/** Of every name that is stored; characters (code points). */
const MAX_NAME_LENGTH = 255;

/** A display name without the blanks around it; AppError `invalid` where nothing is left or it cannot be stored. */
export function requireName(text: string): string {
    const name = text.trim();
    if (name === '' || name.length > 2 * MAX_NAME_LENGTH || [...name].length > MAX_NAME_LENGTH) {
        throw new AppError('invalid', `name must have 1 to ${MAX_NAME_LENGTH} characters.`);
    }
    if (name.includes('\0') || !name.isWellFormed()) {
        throw new AppError('invalid', 'name must be well-formed text without NUL.');
    }
    return name;
}
