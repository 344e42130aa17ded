import { type AppError, invalid } from '../../platform/errors.ts';
import { MAX_CLAIMS_BYTES } from '../../proto/limits.ts';
import { isCredentialType, MAX_TYPE_LENGTH } from '../../tokens/credential.ts';
import { decodeDidKey } from '../../tokens/did-key.ts';
import { namesKey } from '../../tokens/verification-key.ts';
import { isIssuerWebDid } from '../../tokens/web-did.ts';
import { requireJsonObject } from '../json-object.ts';
import { requireText } from '../texts.ts';

/** Maximum length of the reason of a revocation, in characters. Beyond it: `invalid`. */
const MAX_REASON_LENGTH = 2_000;

/**
 * Throws AppError `invalid` if the DID neither contains an Ed25519 key, with which an issuer signs, nor has the form of a
 * did:web issuer of this service.
 */
export function requireIssuer(did: string): void {
    if (!decodeDidKey(did) && !isIssuerWebDid(did)) throw notAnIssuer();
}

/** As requireIssuer(), for the issuer of an SD-JWT: its DID may also contain a key in another form. */
export function requireSdJwtIssuer(did: string): void {
    if (namesKey(did) || isIssuerWebDid(did)) return;
    throw invalid('issuer_did must be a did:web of this service, a did:key of Ed25519 or P-256, or a did:jwk.');
}

export function notAnIssuer(): AppError {
    return invalid('issuer_did is not a did:key with an Ed25519 public key.');
}

/**
 * Throws AppError `invalid` if the text is blank, cannot be stored or is too long. The text is signed as it was sent.
 */
export function requireCredentialType(text: string): void {
    if (isCredentialType(text)) return;
    throw invalid(`credential_type must have 1 to ${MAX_TYPE_LENGTH} characters, without NUL or lone surrogates.`);
}

export function requireReason(reason: string): void {
    requireText('reason', reason, MAX_REASON_LENGTH);
}

export function requireClaims(text: string): void {
    requireJsonObject('claims', text, MAX_CLAIMS_BYTES);
}
