import { invalid } from '../platform/errors.ts';
import { MAX_NAME_LENGTH } from '../proto/limits.ts';
import { MAX_NEW_SUBJECT_LENGTH } from '../tokens/credential.ts';
import { isDid } from '../tokens/did-key.ts';
import { isText } from '../tokens/texts.ts';
import { readExpiry } from '../tokens/times.ts';
import { ERASED_SUBJECT } from './counts/erased-subject.ts';

/**
 * Throws AppError `invalid`, which names the field, if the text cannot be stored or is longer than `max` characters.
 */
export function requireText(field: string, text: string, max: number): void {
    if (isText(text, max)) return;
    throw invalid(`${field} may have at most ${max} characters, without NUL or lone surrogates.`);
}

/** Throws AppError `invalid` if a request both sets a field and clears it. */
export function refuseBoth(field: string, isSet: boolean, isCleared: boolean): void {
    if (isSet && isCleared) throw invalid(`Only one of ${field} and clear_${field} may be given.`);
}

/** Returns the trimmed display name. Throws AppError `invalid` if it is empty, too long or cannot be stored. */
export function requireName(text: string): string {
    const name = text.trim();
    if (name === '') throw invalid('name must not be blank.');
    requireText('name', name, MAX_NAME_LENGTH);
    return name;
}

/** Returns the time in UTC with milliseconds. Throws AppError `invalid` if the text is not a date or a date-time. */
export function requireExpiry(text: string): string {
    const expiresAt = readExpiry(text);
    if (expiresAt === undefined) {
        throw invalid('expiration_date must be an ISO 8601 date, or a date and time with an offset from UTC.');
    }
    return expiresAt;
}

/** Throws AppError `invalid` if the text is no DID. */
export function requireSubject(did: string): void {
    if (!isDid(did)) throw invalid('subject_did is not a DID.');
}

/** The same for the subject of a new credential. Earlier credentials may have longer DIDs, which still have lists. */
export function requireNewSubject(did: string): void {
    requireSubject(did);
    if (did === ERASED_SUBJECT)
        throw invalid(`subject_did must not be ${ERASED_SUBJECT}, which stands for erased people.`);
    if (did.length > MAX_NEW_SUBJECT_LENGTH) {
        throw invalid(`subject_did may have at most ${MAX_NEW_SUBJECT_LENGTH} characters.`);
    }
}
