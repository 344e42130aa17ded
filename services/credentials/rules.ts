import { AppError } from '../../platform/errors.ts';
import { JsonError, JsonText, parseJson } from '../../platform/json.ts';
import { decodeDidKey, isDid } from '../../workers/crypto/did-key.ts';
import { isText, requireText } from '../texts.ts';
import { readExpiry } from '../times.ts';
import { uuidOf } from './credential-id.ts';

const MAX_TYPE_LENGTH = 255;
const MAX_REASON_LENGTH = 2_000;
const MAX_CLAIMS_BYTES = 65_536;

export function invalid(detail: string): AppError {
    return new AppError('invalid', detail);
}

/** Issuers sign, so their DID must hold an Ed25519 key. */
export function requireIssuer(did: string): void {
    if (!decodeDidKey(did)) throw invalid('issuer_did is not a did:key with an Ed25519 public key.');
}

export function requireSubject(did: string): void {
    if (!isDid(did)) throw invalid('subject_did is not a DID.');
}

/** The UUID in a credential id. */
export function requireCredentialId(credential_id: string): string {
    const uuid = uuidOf(credential_id);
    if (uuid === undefined) throw invalid('credential_id is not urn:uuid: and a UUID in lower case.');
    return uuid;
}

/** Any text but a blank one; it is signed as it was sent. */
export function requireCredentialType(text: string): void {
    if (isCredentialType(text)) return;
    throw invalid(`credential_type must have 1 to ${MAX_TYPE_LENGTH} characters, without NUL or lone surrogates.`);
}

export function isCredentialType(text: string): boolean {
    return text.trim() !== '' && isText(text, MAX_TYPE_LENGTH);
}

export function requireReason(reason: string): void {
    requireText('reason', reason, MAX_REASON_LENGTH);
}

/** UTC, with milliseconds. */
export function requireExpiry(text: string): string {
    const expires_at = readExpiry(text);
    if (expires_at === undefined) {
        throw invalid('expiration_date must be an ISO 8601 date, or a date and time with an offset from UTC.');
    }
    return expires_at;
}

/**
 * Checks that the text is one JSON object. It is read where it will stand, as a member of an object, so that no token is
 * signed whose payload is too deep to be read again; and a text that closes the member before its own end is found out.
 */
export function requireClaims(text: string): void {
    if (Buffer.byteLength(text) > MAX_CLAIMS_BYTES) throw invalid(`claims may have ${MAX_CLAIMS_BYTES} bytes.`);
    const claims = readMember(text);
    if (!(claims instanceof JsonText) || claims.text !== text) throw invalid('claims must be a JSON object.');
}

function readMember(text: string): unknown {
    try {
        // An object literal, since it is parsed from one.
        return (parseJson(`{"claims":${text}}`, new Set(['claims'])) as Record<string, unknown>)['claims'];
    } catch (error) {
        if (error instanceof JsonError) throw invalid(`claims are not acceptable JSON: ${error.message}.`);
        throw error;
    }
}
