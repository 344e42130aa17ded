import { stringifyJson } from '../../platform/json.ts';
import { MAX_PRESENTED_CREDENTIALS } from '../../proto/limits.ts';
import { decodeDidKey, isDid } from '../../workers/crypto/did-key.ts';
import { readDateTime } from '../times.ts';

/** The content of a presentation. */
export interface PresentationContent {
    /** urn:uuid:<uuid> */
    presentation_id: string;
    holder: string;
    audience: string;
    /** UTC, with milliseconds. */
    created_at: string;
    nonce: string | undefined;
    domain: string | undefined;
    /** Tokens. */
    credentials: string[];
}

/** Distinguishes presentations from credentials, which are signed with the same keys. */
const TYPE = 'presentation';
/** The members that are read from a token's payload. */
export const PRESENTATION_MEMBERS = {
    members: ['typ', 'jti', 'iss', 'aud', 'iat', 'exp', 'nbf', 'nonce', 'domain', 'credentials'],
    raw: [],
} as const;

/** The payload of a presentation's token: JSON, with the claim names of RFC 7519 where it has one. */
export function writePayload(content: PresentationContent): string {
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
 * Any holder of a key can sign anything, so every member is checked. Returns the name of the first invalid member
 * instead, if there is one.
 */
export function readPayload(payload: Record<string, unknown>): PresentationContent | { invalidField: string } {
    const { typ, jti, iss, aud, iat, nonce, domain, credentials } = payload;
    if (typ !== TYPE) return { invalidField: 'typ' };
    if (typeof jti !== 'string' || jti === '') return { invalidField: 'jti' };
    if (typeof iss !== 'string' || decodeDidKey(iss) === undefined) return { invalidField: 'iss' };
    if (typeof aud !== 'string' || !isDid(aud)) return { invalidField: 'aud' };
    const created_at = typeof iat === 'string' ? readDateTime(iat) : undefined;
    if (created_at === undefined) return { invalidField: 'iat' };
    if (nonce !== undefined && typeof nonce !== 'string') return { invalidField: 'nonce' };
    if (domain !== undefined && typeof domain !== 'string') return { invalidField: 'domain' };
    if (!isTokens(credentials)) return { invalidField: 'credentials' };
    return { presentation_id: jti, holder: iss, audience: aud, created_at, nonce, domain, credentials };
}

function isTokens(value: unknown): value is string[] {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PRESENTED_CREDENTIALS) return false;
    return value.every((token) => typeof token === 'string');
}
