import { invalid } from '../../platform/errors.ts';

/** Characters (code points), as sent. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 1_024;

/** Checks a new password: any Unicode, no composition rules; otherwise AppError `invalid`. */
export function requireNewPassword(password: string, field = 'password'): void {
    requireComparablePassword(password, field);
    if ([...password].length < MIN_LENGTH) {
        throw invalid(`${field} must have at least ${MIN_LENGTH} characters.`);
    }
}

/**
 * Checks whether a password is worth hashing, because it could have been chosen: the cost of a hash grows with its
 * length.
 */
export function requireComparablePassword(password: string, field = 'password'): void {
    if (password.length > 2 * MAX_LENGTH || [...password].length > MAX_LENGTH) {
        throw invalid(`${field} must have at most ${MAX_LENGTH} characters.`);
    }
    if (!password.isWellFormed() || password.includes('\0')) {
        throw invalid(`${field} must be well-formed text without NUL.`);
    }
}
