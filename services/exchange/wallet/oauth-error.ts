import { AppError } from '../../../platform/errors.ts';

/** The errors of OAuth 2.0, DPoP and OpenID4VCI 1.0 that wallets get. `reason` carries their names to the gateway. */
type OauthCode =
    | 'invalid_request'
    | 'invalid_grant'
    | 'unsupported_grant_type'
    | 'invalid_dpop_proof'
    | 'invalid_credential_request'
    | 'unknown_credential_configuration'
    | 'unknown_credential_identifier'
    | 'invalid_proof'
    | 'invalid_nonce'
    | 'invalid_encryption_parameters'
    | 'credential_request_denied'
    | 'invalid_notification_id'
    | 'invalid_notification_request';

/** An error that a wallet gets with status 400. */
export function oauthError(code: OauthCode, detail: string): AppError {
    return new AppError('invalid', detail, { reason: code });
}

/** The access token is none, or not used as it must be: status 401. */
export function invalidToken(code: 'invalid_token' | 'invalid_dpop_proof' = 'invalid_token'): AppError {
    const detail = code === 'invalid_token' ? 'The access token is not valid.' : 'The DPoP proof is not acceptable.';
    return new AppError('unauthenticated', detail, { reason: code });
}
