import { invalid } from '../../platform/errors.ts';

/** Minimum length of a new password, in characters (code points), as sent. */
const MIN_LENGTH = 8;
/** Maximum length of a password, in characters (code points), as sent. Beyond it: `invalid`. */
const MAX_LENGTH = 1_024;

/**
 * Throws AppError `invalid` if a new password is too short, too long or not well-formed. Any Unicode is allowed; there
 * are no composition rules.
 */
export function requireNewPassword(password: string, field = 'password'): void {
    requireComparablePassword(password, field);
    if ([...password].length < MIN_LENGTH) {
        throw invalid(`${field} must have at least ${MIN_LENGTH} characters.`);
    }
}

/**
 * Throws AppError `invalid` if the text can never be a password. Such a text must not be hashed, because the cost of a
 * hash grows with its length.
 */
export function requireComparablePassword(password: string, field = 'password'): void {
    if (password.length > 2 * MAX_LENGTH || [...password].length > MAX_LENGTH) {
        throw invalid(`${field} must have at most ${MAX_LENGTH} characters.`);
    }
    if (!password.isWellFormed() || password.includes('\0')) {
        throw invalid(`${field} must be well-formed text without NUL.`);
    }
}
