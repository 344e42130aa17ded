import { AppError, type ErrorKind } from '../../../platform/errors.ts';
import type { WalletError } from '../../../proto/openid4vci.ts';

/** An error that a wallet gets with status 400. */
export function oauthError(code: WalletError, detail: string): AppError {
    return new AppError('invalid', detail, { reason: code });
}

/** The access token is none, or not used as it must be: status 401. */
export function invalidToken(code: 'invalid_token' | 'invalid_dpop_proof' = 'invalid_token'): AppError {
    const detail = code === 'invalid_token' ? 'The access token is not valid.' : 'The DPoP proof is not acceptable.';
    return new AppError('unauthenticated', detail, { reason: code });
}

/** Errors whose reason is the quota, the issuer or the offer of the account. */
const OF_ACCOUNT: ReadonlySet<ErrorKind> = new Set(['invalid', 'forbidden', 'not_found', 'conflict', 'unprocessable']);

/** True if nothing was issued for a reason that concerns the account alone. Wallets are not told such a reason. */
export function refusesIssue(error: unknown): error is AppError {
    return error instanceof AppError && OF_ACCOUNT.has(error.kind);
}
