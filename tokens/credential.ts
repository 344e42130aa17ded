import { JsonText, stringifyJson } from '../platform/json.ts';
import { uuidOf } from './credential-id.ts';
import { isDid } from './did-key.ts';
import { isText } from './texts.ts';
import { readDateTime } from './times.ts';
import { readSigner } from './web-did.ts';

/** The content of a credential. */
export interface CredentialContent {
    /** urn:uuid:<uuid> */
    credential_id: string;
    issuer: string;
    /** The key that signed it, if the issuer is a did:web. Nothing here has checked that it is a key of the issuer. */
    kid: string | undefined;
    subject: string;
    credential_type: string;
    /** Times are in UTC, with milliseconds. */
    issued_at: string;
    expires_at: string | undefined;
    /** A JSON object: the text as the client sent it. */
    claims: string;
}

/** Distinguishes credentials from presentations, which are signed with the same keys. */
const TYPE = 'credential';
/** Maximum length of a credential's type, in characters (code points). Beyond it: `invalid`. */
export const MAX_TYPE_LENGTH = 255;
/**
 * Maximum length of the DID of a new credential's subject, in characters. An index contains it, so a credential with
 * twice the length would take more than twice the space. A did:jwk or did:key with an RSA key of 4,096 bits fits.
 * Beyond it: `invalid`.
 */
export const MAX_NEW_SUBJECT_LENGTH = 1_024;
/** The members that the service reads from a token's payload. */
export const CREDENTIAL_MEMBERS = {
    members: ['typ', 'jti', 'iss', 'kid', 'sub', 'credential_type', 'iat', 'exp', 'nbf'],
    raw: ['claims'],
} as const;

/** The place of a credential on a status list (draft-ietf-oauth-status-list-21, section 6.2), and who signs the list. */
interface StatusListPlace {
    idx: number;
    /** The address of the list. */
    uri: string;
    /** The did:key that signs the list. The draft leaves open how a verifier knows the key. */
    iss: string;
}

/** Returns the payload of a credential's token as JSON. Members that RFC 7519 defines have its claim names. */
export function writePayload(
    content: Omit<CredentialContent, 'kid'> & { place?: StatusListPlace | undefined },
): string {
    return stringifyJson({
        typ: TYPE,
        jti: content.credential_id,
        iss: content.issuer,
        sub: content.subject,
        credential_type: content.credential_type,
        iat: content.issued_at,
        exp: content.expires_at,
        status: content.place && { status_list: content.place },
        claims: new JsonText(content.claims),
    });
}

/**
 * Reads a payload that was opened with CREDENTIAL_MEMBERS. Anybody with a key can sign any payload, so every member is
 * checked. If a member is invalid, returns the name of the first one.
 */
export function readPayload(opened: {
    payload: Record<string, unknown>;
    raw: Record<string, string>;
}): CredentialContent | { invalidField: string } {
    const { typ, jti, iss, kid, sub, credential_type, iat, exp } = opened.payload;
    const { claims } = opened.raw;
    if (typ !== TYPE) return { invalidField: 'typ' };
    if (typeof jti !== 'string' || uuidOf(jti) === undefined) return { invalidField: 'jti' };
    const signer = readSigner(iss, kid);
    if (signer === undefined) return { invalidField: 'iss' };
    if (typeof sub !== 'string' || !isDid(sub)) return { invalidField: 'sub' };
    if (typeof credential_type !== 'string' || !isCredentialType(credential_type))
        return { invalidField: 'credential_type' };
    const issuedAt = typeof iat === 'string' ? readDateTime(iat) : undefined;
    if (issuedAt === undefined) return { invalidField: 'iat' };
    const expiresAt = typeof exp === 'string' ? readDateTime(exp) : undefined;
    if (exp !== undefined && expiresAt === undefined) return { invalidField: 'exp' };
    if (claims === undefined) return { invalidField: 'claims' };
    return {
        credential_id: jti,
        issuer: signer.did,
        kid: signer.kid,
        subject: sub,
        credential_type,
        issued_at: issuedAt,
        expires_at: expiresAt,
        claims,
    };
}

/** True if the text is not blank, can be stored and has at most MAX_TYPE_LENGTH characters. */
export function isCredentialType(text: string): boolean {
    return text.trim() !== '' && isText(text, MAX_TYPE_LENGTH);
}
