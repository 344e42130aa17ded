import { invalid } from '../../platform/errors.ts';
import { MAX_CLAIMS_BYTES } from '../../proto/limits.ts';
import { decodeDidKey, isDid } from '../../workers/crypto/did-key.ts';
import { isCredentialType, MAX_TYPE_LENGTH } from '../credential-payload.ts';
import { requireJsonObject } from '../json-object.ts';
import { requireText } from '../texts.ts';
import { readExpiry } from '../times.ts';

const MAX_REASON_LENGTH = 2_000;

/** Issuers sign, so their DID must contain an Ed25519 key. */
export function requireIssuer(did: string): void {
    if (!decodeDidKey(did)) throw invalid('issuer_did is not a did:key with an Ed25519 public key.');
}

export function requireSubject(did: string): void {
    if (!isDid(did)) throw invalid('subject_did is not a DID.');
}

/** Any text that is not blank. It is signed as it was sent. */
export function requireCredentialType(text: string): void {
    if (isCredentialType(text)) return;
    throw invalid(`credential_type must have 1 to ${MAX_TYPE_LENGTH} characters, without NUL or lone surrogates.`);
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

export function requireClaims(text: string): void {
    requireJsonObject('claims', text, MAX_CLAIMS_BYTES);
}
