import type { ClaimPathStep } from './gen/exchange/v1/exchange.ts';

/* What the gateway and the role exchange share of OpenID4VCI 1.0. */

/** The grant of an offer (section 4.1.1). */
export const PRE_AUTHORIZED_CODE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** The algorithms of keys in wallets. */
export const WALLET_ALGORITHMS = ['ES256', 'EdDSA'] as const;

/**
 * A part of a claims path pointer (appendix C): the name of a member, the index of an element, or null for all elements of an
 * array.
 */
export type ClaimPathPart = string | number | null;

export function partOf({ name, index }: ClaimPathStep): ClaimPathPart {
    return name ?? index ?? null;
}

export function stepOf(part: ClaimPathPart): ClaimPathStep {
    if (part === null) return {};
    return typeof part === 'string' ? { name: part } : { index: part };
}

/** The errors of OAuth 2.0, DPoP and OpenID4VCI that a service names. An AppError has the name as its reason. */
export const WALLET_ERRORS = [
    'invalid_token',
    'invalid_request',
    'invalid_grant',
    'unsupported_grant_type',
    'invalid_dpop_proof',
    'invalid_credential_request',
    'unknown_credential_configuration',
    'unknown_credential_identifier',
    'invalid_proof',
    'invalid_nonce',
    'invalid_encryption_parameters',
    'credential_request_denied',
    'invalid_notification_id',
    'invalid_notification_request',
] as const;
export type WalletError = (typeof WALLET_ERRORS)[number];
