import { stringifyJson } from '../platform/json.ts';
import { MAX_PRESENTED_CREDENTIALS } from '../proto/limits.ts';
import { isDid } from './did-key.ts';
import { readDateTime } from './times.ts';
import { readSigner } from './web-did.ts';

/** The content of a presentation. */
export interface PresentationContent {
    /** urn:uuid:<uuid> */
    presentation_id: string;
    holder: string;
    /** The key that signed it, if the holder is a did:web. Nothing here has checked that it is a key of the holder. */
    kid: string | undefined;
    audience: string;
    /** UTC, with milliseconds. */
    created_at: string;
    nonce: string | undefined;
    domain: string | undefined;
    /** The tokens of the credentials. */
    credentials: string[];
}

/** Distinguishes presentations from credentials, which are signed with the same keys. */
const TYPE = 'presentation';
/** The members that the service reads from a token's payload. */
export const PRESENTATION_MEMBERS = {
    members: ['typ', 'jti', 'iss', 'kid', 'aud', 'iat', 'exp', 'nbf', 'nonce', 'domain', 'credentials'],
    raw: [],
} as const;

/** Returns the payload of a presentation's token as JSON. Members that RFC 7519 defines have its claim names. */
export function writePayload(content: Omit<PresentationContent, 'kid'>): string {
    return stringifyJson({
        typ: TYPE,
        jti: content.presentation_id,
        iss: content.holder,
        aud: content.audience,
        iat: content.created_at,
        nonce: content.nonce,
        domain: content.domain,
        credentials: content.credentials,
    });
}

/**
 * Reads a payload that was opened with PRESENTATION_MEMBERS. Anybody with a key can sign any payload, so every member
 * is checked. If a member is invalid, returns the name of the first one.
 */
export function readPayload(payload: Record<string, unknown>): PresentationContent | { invalidField: string } {
    const { typ, jti, iss, kid, aud, iat, nonce, domain, credentials } = payload;
    if (typ !== TYPE) return { invalidField: 'typ' };
    if (typeof jti !== 'string' || jti === '') return { invalidField: 'jti' };
    const signer = readSigner(iss, kid);
    if (signer === undefined) return { invalidField: 'iss' };
    if (typeof aud !== 'string' || !isDid(aud)) return { invalidField: 'aud' };
    const createdAt = typeof iat === 'string' ? readDateTime(iat) : undefined;
    if (createdAt === undefined) return { invalidField: 'iat' };
    if (nonce !== undefined && typeof nonce !== 'string') return { invalidField: 'nonce' };
    if (domain !== undefined && typeof domain !== 'string') return { invalidField: 'domain' };
    if (!isTokens(credentials)) return { invalidField: 'credentials' };
    const { did: holder } = signer;
    const shown = { presentation_id: jti, holder, kid: signer.kid, audience: aud, created_at: createdAt };
    return { ...shown, nonce, domain, credentials };
}

function isTokens(value: unknown): value is string[] {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PRESENTED_CREDENTIALS) return false;
    return value.every((token) => typeof token === 'string');
}
