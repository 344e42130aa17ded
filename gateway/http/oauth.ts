import type { IncomingMessage } from 'node:http';
import type { AppError, ErrorKind } from '../../platform/errors.ts';
import { WALLET_ALGORITHMS, WALLET_ERRORS } from '../../proto/openid4vci.ts';

/*
 * Errors in the form that wallets read: `{error, error_description}` without the envelope (RFC 6749, section 5.2). A service
 * names the error in the reason of its AppError; other errors have a name by their kind.
 */

const NAMES: ReadonlySet<string> = new Set(WALLET_ERRORS);
const BY_KIND: Partial<Record<ErrorKind, string>> = {
    unauthenticated: 'invalid_token',
    rate_limited: 'temporarily_unavailable',
    unavailable: 'temporarily_unavailable',
    deadline: 'temporarily_unavailable',
    internal: 'server_error',
};
/** All errors that wallets get. */
export const OAUTH_ERRORS = [...new Set([...NAMES, ...Object.values(BY_KIND)])];
/** The characters that a description must not have. */
const FORBIDDEN = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g;

const ALGS = `algs="${WALLET_ALGORITHMS.join(' ')}"`;
/** The form of challenges, as a regular expression. */
export const CHALLENGE_PATTERN = `^(Bearer (realm|error)="\\w+", DPoP|DPoP error="\\w+",) ${ALGS}$`;

/** The text of an error, and its header fields besides those of every error. `byDefault`: the name of other errors. */
export function oauthProblem(
    error: AppError,
    byDefault: string,
    request: Pick<IncomingMessage, 'headers'>,
): { text: string; headers: Record<string, string> } {
    const { kind, detail, reason = '' } = error;
    const name = NAMES.has(reason) ? reason : (BY_KIND[kind] ?? byDefault);
    const text = JSON.stringify({ error: name, error_description: detail.replaceAll(FORBIDDEN, "'") });
    if (kind !== 'unauthenticated') return { text, headers: {} };
    return { text, headers: { 'WWW-Authenticate': challengeOf(request.headers.authorization, name) } };
}

/** The scheme by which a token was sent, right or wrong; undefined if none was. Node has trimmed the value already. */
export function authorizationScheme(authorization = ''): 'bearer' | 'dpop' | undefined {
    const [, scheme] = /^(bearer|dpop) /i.exec(authorization) ?? [];
    return scheme?.toLowerCase() as ReturnType<typeof authorizationScheme>; // the expression has no other ones
}

/**
 * Says how to authenticate, and what is wrong with a token that was sent (RFC 6750, section 3). Whoever has sent no
 * proof learns of DPoP as well (RFC 9449, section 7.2).
 */
function challengeOf(authorization: string | undefined, name: string): string {
    const scheme = authorizationScheme(authorization);
    if (scheme === 'dpop') return `DPoP error="${name}", ${ALGS}`;
    return `Bearer ${scheme === 'bearer' ? `error="${name}"` : 'realm="credentials"'}, DPoP ${ALGS}`;
}
