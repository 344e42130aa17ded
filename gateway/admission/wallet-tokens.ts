import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { walletBucket } from '../../platform/access/buckets.ts';
import type { Limiter } from '../../platform/access/limiter.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { authorizationScheme } from '../http/oauth.ts';
import type { AddressLimits } from './address-limits.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** Calls with one access token in a minute. A wallet makes a few. Beyond it: 429. */
const TOKEN_LIMIT = 60;

/** An access token of a wallet, as `Bearer` (RFC 6750) or `DPoP` (RFC 9449): the schemes and the form of a token. */
const ACCESS_TOKEN = /^(bearer|dpop) +([A-Za-z0-9_-]{43})$/i;

/** The access token that a wallet sends, and whether it says that a proof comes with it. */
export function walletToken(request: Pick<IncomingMessage, 'headers'>) {
    const [, scheme, token] = ACCESS_TOKEN.exec(request.headers.authorization ?? '') ?? [];
    return { bearer: token, sentAsDpop: scheme?.toLowerCase() === 'dpop' };
}

/**
 * Admits calls with the access tokens of wallets, which only the service knows. The address pays for each of them, and gets
 * that back when the call succeeds, so nobody can try many tokens. Each token has a bucket of its own.
 */
export function walletAdmission(limiter: Limiter, addresses: AddressLimits) {
    return async (request: IncomingMessage, address: string, lifetime: CallLifetime): Promise<Verdict> => {
        const { bearer } = walletToken(request);
        if (bearer === undefined) {
            const { decision, failure } = await addresses.anonymous(address, lifetime);
            const isSent = authorizationScheme(request.headers.authorization) !== undefined;
            const text = isSent ? 'The access token is not valid.' : 'An access token is required in Authorization.';
            return { decision, failure: failure ?? new AppError('unauthenticated', text) };
        }
        const paid = await addresses.lookUp(address, lifetime);
        if (paid.failure) return paid;
        const name = hash('sha256', bearer, 'base64url');
        const tag = limiter.tag(name);
        const asked = { tag, bucket: walletBucket(tag, name), limit: TOKEN_LIMIT };
        const decision = await limiter.take(asked, undefined, lifetime);
        return verdictOf(decision.state === 'unreachable' ? limiter.takeLocally(asked) : decision);
    };
}
