import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ApiKeyFormat, parseApiKey } from '../../platform/access/api-key.ts';
import { bucketsAwaitingRollUp, keyBucket, sessionsBucket } from '../../platform/access/limit-record.ts';
import { livenessMarkKey, type Subject } from '../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../platform/context.ts';
import type { Services } from '../services.ts';
import type { Limiter } from './limit.ts';
import type { LimitRequest } from './limit-decision.ts';
import type { SessionTokens } from './session-tokens.ts';

/** The authenticated caller. */
export interface Principal {
    user_id: string;
    tier: string;
    session_id?: string;
    key_id?: string;
}

/** What the owner said about a key or session. Its calls are decided by this. */
export interface AuthState {
    principal: Principal;
    limitRequest: LimitRequest & { mark: string };
}

/**
 * A bearer token that is well-formed and, for a session token, correctly signed. Whether it is still active, only its
 * owner or the limiter can say.
 */
export interface Bearer {
    kind: Subject;
    /** Identifies the key or session. */
    id: string;
    /** Asks the owner. Undefined when the key or session is unknown, revoked or expired. */
    lookUp(context: CallContext): Promise<AuthState | undefined>;
}

/**
 * The scheme in any letter case, blanks, then the token (RFC 6750, section 2.1). Node has removed the blanks around the
 * value.
 */
const BEARER = /^bearer +([^ ].*)$/i;

/** The token in `Authorization: Bearer …`; undefined when there is none. */
export function bearerToken(request: IncomingMessage): string | undefined {
    return BEARER.exec(request.headers.authorization ?? '')?.[1];
}

export interface Authenticator {
    /** Reads what a token stands for from its prefix (decision A1). */
    identify(token: string): Promise<Bearer | undefined>;
}

export function authenticator(options: {
    services: Services;
    limiter: Limiter;
    session_tokens: SessionTokens;
    key_format: ApiKeyFormat;
}): Authenticator {
    const { services, limiter, session_tokens, key_format } = options;

    function keyBearer(hash: Uint8Array): Bearer {
        return {
            kind: 'key',
            id: Buffer.from(hash).toString('base64'),
            async lookUp(context) {
                const { alive, key_id, user_id, tier, rate_limit } = await services.keys.authenticate(
                    { hash },
                    context,
                );
                if (!alive) return undefined;
                const tag = limiter.tag(user_id);
                const bucket = keyBucket(tag, user_id, key_id);
                const mark = livenessMarkKey(tag, 'key', key_id);
                return authState({ user_id, tier, key_id }, { tag, bucket, mark, limit: rate_limit });
            },
        };
    }

    function sessionBearer(session_id: string): Bearer {
        return {
            kind: 'session',
            id: session_id,
            async lookUp(context) {
                const session = await services.identity.confirmSession({ session_id }, context);
                if (!session.alive) return undefined;
                const { user_id, tier, rate_limit } = session;
                const tag = limiter.tag(user_id);
                const bucket = sessionsBucket(tag, user_id);
                const mark = livenessMarkKey(tag, 'session', session_id);
                return authState({ user_id, tier, session_id }, { tag, bucket, mark, limit: rate_limit });
            },
        };
    }

    return {
        async identify(token) {
            if (token.startsWith(`${key_format.brand}_`)) {
                const key = parseApiKey(token, key_format);
                return key && keyBearer(key.hash);
            }
            const session_id = await session_tokens.verify(token);
            return session_id === undefined ? undefined : sessionBearer(session_id);
        },
    };
}

/** The calls of a key or session are recorded for its account. */
function authState(
    principal: Principal,
    counted: { tag: string; bucket: string; mark: string; limit: number },
): AuthState {
    const { user_id, tier } = principal;
    const awaitingRollUp = bucketsAwaitingRollUp(counted.tag, user_id);
    return { principal, limitRequest: { ...counted, awaitingRollUp, tier } };
}

/** Checks `X-Internal-Secret` against the valid secrets, in constant time. */
export function internalSecret(secrets: readonly string[]): (request: IncomingMessage) => boolean {
    const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
    const valid = secrets.map(digest);
    return (request) => {
        const sent = request.headers['x-internal-secret'];
        if (typeof sent !== 'string') return false; // sent twice, it comes joined, and matches none
        const offered = digest(sent);
        // Every secret is compared, even after one has matched.
        return valid.map((secret) => timingSafeEqual(secret, offered)).includes(true);
    };
}
