import { invalid } from '../../platform/errors.ts';

/** Limits of RFC 5321, section 4.5.3.1, in characters of the normalised form. */
const MAX_LOCAL_LENGTH = 64;
const MAX_LENGTH = 254;
/** Decomposed letters can make the sent form longer than the normalised one. No longer text is an address. */
const MAX_SENT_LENGTH = 1_024;

/**
 * Blanks, control, format and unassigned characters, and other characters without ink (U+2800 is the Braille blank).
 */
const INVISIBLE = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** At least two labels, none empty, none with a hyphen at an edge. */
const DOMAIN = /^(?!-)[^.]*[^.-](\.(?!-)[^.]*[^.-])+$/u;

/** The form in which addresses are compared and stored: trimmed, NFKC, lower case. */
export function normaliseEmail(text: string): string {
    // Lower-casing may leave a form that is not NFKC. The second pass makes the result a fixed point.
    return text.trim().slice(0, MAX_SENT_LENGTH).normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** The normalised address; AppError `invalid` if it is not an email address. */
export function requireEmail(text: string): string {
    const email = normaliseEmail(text);
    const [local = '', domain = '', ...rest] = email.split('@');
    const acceptable =
        text.length <= MAX_SENT_LENGTH &&
        rest.length === 0 &&
        local !== '' &&
        [...local].length <= MAX_LOCAL_LENGTH &&
        [...email].length <= MAX_LENGTH &&
        DOMAIN.test(domain) &&
        !INVISIBLE.test(email);
    if (!acceptable) throw invalid('email must be a valid email address.');
    return email;
}
