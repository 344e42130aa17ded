import { invalid } from '../platform/errors.ts';

/** Maximum length of every stored name, in characters (code points). */
const MAX_NAME_LENGTH = 255;

/** True if the text can be stored and signed, and has at most `max` characters (code points). */
export function isText(text: string, max: number): boolean {
    const short = text.length <= max || (text.length <= 2 * max && [...text].length <= max);
    return short && text.isWellFormed() && !text.includes('\0');
}

/**
 * Throws AppError `invalid`, which names the field, if the text cannot be stored or is longer than `max` characters.
 */
export function requireText(field: string, text: string, max: number): void {
    if (isText(text, max)) return;
    throw invalid(`${field} may have at most ${max} characters, without NUL or lone surrogates.`);
}

/** Returns the trimmed display name. Throws AppError `invalid` if it is empty, too long or cannot be stored. */
export function requireName(text: string): string {
    const name = text.trim();
    if (name === '') throw invalid('name must not be blank.');
    requireText('name', name, MAX_NAME_LENGTH);
    return name;
}
