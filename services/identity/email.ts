import { domainToASCII, domainToUnicode } from 'node:url';
import { invalid } from '../../platform/errors.ts';

/**
 * Maximum length of the part before the @, in characters of the normalised form (RFC 5321, section 4.5.3.1). Beyond it:
 * `invalid`.
 */
const MAX_LOCAL_LENGTH = 64;
/** Maximum length of an address, in characters of the normalised form (RFC 5321). Beyond it: `invalid`. */
const MAX_LENGTH = 254;
/**
 * Maximum length of an address as sent, in UTF-16 code units. It is greater than MAX_LENGTH because decomposed letters
 * can make the sent form longer than the normalised one. Beyond it: `invalid`.
 */
const MAX_SENT_LENGTH = 1_024;

/** Blanks, control, format and unassigned characters, and other invisible characters (U+2800 is the Braille blank). */
const INVISIBLE = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** A dot-atom of RFC 5322, section 3.2.3, with the non-ASCII characters of RFC 6532. */
const DOT_ATOM = /^[^\0- "(),.:;<>@[-\]\x7f]+(\.[^\0- "(),.:;<>@[-\]\x7f]+)*$/u;
/**
 * Of ASCII, a domain has only letters, digits, hyphens, underscores and dots. The functions of node:url read a host of
 * a URL: they would decode `%61`, and end the domain at a `/`.
 */
const HOST = /^[^\0-,/:-@[-^`{-\x7f]+$/u;
/** At least two labels. No label is empty, and none begins or ends with a hyphen. */
const DOMAIN = /^(?!-)[^.]*[^.-](\.(?!-)[^.]*[^.-])+$/u;
/** A label that says it is international, but does not encode one. node:url leaves it as it is. */
const UNREADABLE = /(^|\.)xn--/;
/** What node:url makes of a domain whose last label is a number: it reads `127.1` as 127.0.0.1. */
const IPV4 = /\.\d+$/;

/**
 * Returns the form in which addresses are compared and stored: trimmed, NFKC, lower case, ς as σ in the local part, the
 * domain in ASCII. In a domain, ς and σ are different names.
 */
export function normaliseEmail(text: string): string {
    return withDomain(foldSigma(plainForm(text)), domainToASCII);
}

/** Returns the normalised address. Throws AppError `invalid` if it is not an email address. */
export function requireEmail(text: string): string {
    const email = normaliseEmail(text);
    const [local = '', domain = '', ...rest] = email.split('@');
    const acceptable =
        text.length <= MAX_SENT_LENGTH &&
        rest.length === 0 &&
        DOT_ATOM.test(local) &&
        [...local].length <= MAX_LOCAL_LENGTH &&
        [...email].length <= MAX_LENGTH &&
        isAsciiDomain(domain) &&
        !INVISIBLE.test(email);
    if (!acceptable) throw invalid('email must be a valid email address.');
    return email;
}

/**
 * Returns the forms under which the account of an address may be stored, the likeliest owner first. Earlier releases
 * stored the address in its plain form: the domain in Unicode or in ASCII, and a sigma at the end of a word of the local
 * part as ς or σ. A domain with labels in both scripts is found only as it was written.
 */
export function formsOf(text: string): string[] {
    const email = normaliseEmail(text);
    const start = email.indexOf('@');
    const local = email.slice(0, start);
    const locals = [
        local,
        local.replace(/(?<=\p{L})σ(?!\p{L})/gu, 'ς'),
        local.replaceAll('σ', 'Σ').toLowerCase(), // as an address in capitals was stored
    ];
    const domains = [withDomain(email, domainToUnicode), email].map((form) => form.slice(start));
    const spelled = domains.flatMap((domain) => locals.map((form) => form + domain));
    return [...new Set([plainForm(text), email, ...(start < 0 ? [] : spelled)])];
}

/** Returns the forms under which only earlier releases stored the account of an address. */
export function oldFormsOf(text: string): string[] {
    const email = normaliseEmail(text);
    return formsOf(text).filter((form) => form !== email);
}

/** Returns the address trimmed, NFKC, lower case. */
function plainForm(text: string): string {
    // Lower-casing may leave a form that is not NFKC. After the second pass, normalising again changes nothing.
    return text.trim().slice(0, MAX_SENT_LENGTH).normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Lower-casing makes ς or σ of a capital sigma, depending on what follows. */
function foldSigma(text: string): string {
    return text.replace(/^[^@]*/, (local) => local.replaceAll('ς', 'σ'));
}

/** Converts the domain. An address whose domain cannot be converted stays as it is. */
function withDomain(email: string, convert: (domain: string) => string): string {
    const start = email.indexOf('@') + 1;
    const domain = email.slice(start);
    // Converting takes more than linear time. The ASCII form is never shorter than the Unicode one.
    if (start === 0 || domain.length > 2 * MAX_LENGTH || !HOST.test(domain) || INVISIBLE.test(domain)) return email;
    const converted = convert(domain);
    return converted === '' || IPV4.test(converted) ? email : email.slice(0, start) + converted;
}

function isAsciiDomain(domain: string): boolean {
    if (!DOMAIN.test(domain) || !HOST.test(domain) || IPV4.test(domain)) return false;
    return domainToASCII(domain) === domain && !UNREADABLE.test(domainToUnicode(domain));
}
