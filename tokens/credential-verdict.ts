import { type CredentialContent, readPayload } from './credential.ts';
import type { Opened } from './open.ts';
import { outOfTime } from './times.ts';

/** The answer to the verification of a credential. */
export interface CredentialVerdict {
    valid: boolean;
    /** The members from issuer to expires_at are set if the issuer signed the token. */
    issuer?: string | undefined;
    subject?: string | undefined;
    credential_type?: string | undefined;
    /** A JSON object as text. Set only if the credential is valid. */
    claims?: string | undefined;
    issued_at?: string | undefined;
    expires_at?: string | undefined;
    revoked: boolean;
    expired: boolean;
    /** Why the credential is not valid. */
    error?: string | undefined;
}

/** What the verdict on a credential depends on, and what it shows. */
interface JudgedCredential {
    issuer: string;
    subject: string | undefined;
    credential_type: string;
    issued_at: string | undefined;
    expires_at: string | undefined;
    claims: string;
    /** A time, in the form of issued_at. Any other value is a time that never comes. */
    not_before: unknown;
}

/** A credential that the issuer in it has signed. */
interface AuthenticCredential extends CredentialContent {
    /** The member `nbf` of the payload, of any type. */
    not_before: unknown;
}

/**
 * Returns the credential in a token that was opened with CREDENTIAL_MEMBERS; otherwise the reason why it contains none.
 * `issuer` is the DID with whose key the token was opened; absent if that was the one that the token names.
 */
export function authenticCredential(
    opened: Opened,
    issuer: string | undefined,
): AuthenticCredential | { fault: string } {
    if (!opened.ok) return { fault: opened.reason };
    const content = readPayload(opened);
    if ('invalidField' in content) {
        return { fault: `The token is not a credential: ${content.invalidField} is missing or unfit.` };
    }
    if (issuer !== undefined && content.issuer !== issuer) {
        return { fault: 'The token names another issuer than the one that signed it.' };
    }
    return { ...content, not_before: opened.payload['nbf'] };
}

/** The verdict on a token that is no authentic credential. It contains nothing from the token. */
export function unauthentic(error: string): CredentialVerdict {
    return { valid: false, revoked: false, expired: false, error };
}

/** The verdict on an authentic credential at `now` (milliseconds since 1970). It has no claims unless it is valid. */
export function credentialVerdict(
    { issuer, subject, credential_type, issued_at, expires_at, claims, not_before }: JudgedCredential,
    { revoked, now }: { revoked: boolean; now: number },
): CredentialVerdict {
    const shown = { issuer, subject, credential_type, issued_at };
    const expired = expires_at !== undefined && Date.parse(expires_at) <= now;
    if (revoked || expired) {
        const error = `The credential has ${revoked ? 'been revoked' : 'expired'}.`;
        return { valid: false, ...shown, expires_at, revoked, expired, error };
    }
    const untimely = outOfTime({ nbf: not_before }, now);
    if (untimely !== undefined) {
        return { valid: false, ...shown, expires_at, revoked, expired, error: `The credential ${untimely}.` };
    }
    return { valid: true, ...shown, claims, expires_at, revoked, expired };
}
