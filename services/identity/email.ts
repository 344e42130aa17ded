import { invalid } from '../../platform/errors.ts';

/** Limits of RFC 5321, section 4.5.3.1, in characters of the normalised form. */
const MAX_LOCAL_LENGTH = 64;
const MAX_LENGTH = 254;
/**
 * Maximum length of an address as sent, in UTF-16 code units. It is greater than MAX_LENGTH because decomposed letters
 * can make the sent form longer than the normalised one.
 */
const MAX_SENT_LENGTH = 1_024;

/** Blanks, control, format and unassigned characters, and other invisible characters (U+2800 is the Braille blank). */
const INVISIBLE = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** At least two labels. No label is empty, and none begins or ends with a hyphen. */
const DOMAIN = /^(?!-)[^.]*[^.-](\.(?!-)[^.]*[^.-])+$/u;

/** Returns the form in which addresses are compared and stored: trimmed, NFKC, lower case. */
export function normaliseEmail(text: string): string {
    // Lower-casing may leave a form that is not NFKC. After the second pass, normalising again changes nothing.
    return text.trim().slice(0, MAX_SENT_LENGTH).normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Returns the normalised address. Throws AppError `invalid` if it is not an email address. */
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
