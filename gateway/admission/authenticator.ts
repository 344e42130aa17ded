import type { IncomingMessage } from 'node:http';
import { type ApiKeyFormat, parseApiKey } from '../../platform/access/api-key.ts';
import { keyBucket, sessionsBucket } from '../../platform/access/buckets.ts';
import type { LimitRequest } from '../../platform/access/limit-decision.ts';
import type { Limiter } from '../../platform/access/limiter.ts';
import { livenessMarkKey, type Subject } from '../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../platform/context.ts';
import type { Services } from '../services.ts';
import { type KeyRestrictions, restrictionsOf } from './key-restrictions.ts';
import type { SessionVerifier } from './session-verifier.ts';

/** The authenticated caller. */
export interface Principal {
    user_id: string;
    tier: string;
    session_id?: string;
    key_id?: string;
    /** A bit for each scope that its API key has. Absent if it may do everything. */
    scope_mask?: number;
}

/** What the owning service said about an active key or session: who calls, and how its calls are limited. */
export interface AuthState {
    principal: Principal;
    limitRequest: LimitRequest & { mark: string };
    /** Absent if there are none, as for a session. */
    restrictions?: KeyRestrictions;
}

/**
 * A well-formed bearer token: an API key, or a session token with a valid signature. Only the owning service (keys or
 * identity) and the limiter know whether it is still active.
 */
export interface Bearer {
    kind: Subject;
    /** Identifies the key or session. */
    id: string;
    /**
     * Asks the owning service. `inactive`: the key or session cannot be used now. `gone`: it is unknown or has ended, and can
     * never be active again. `suspended`: it is refused as long as its account is suspended.
     */
    lookUp(context: CallContext): Promise<AuthState | 'inactive' | 'gone' | 'suspended'>;
}

/**
 * The scheme in any letter case, spaces, then the token (RFC 6750, section 2.1). Node has trimmed the value already.
 */
const BEARER = /^bearer +([^ ].*)$/i;

/** The token in `Authorization: Bearer …`; undefined when there is none. */
export function bearerToken(request: IncomingMessage): string | undefined {
    return BEARER.exec(request.headers.authorization ?? '')?.[1];
}

export interface Authenticator {
    /** Recognizes an API key by its prefix (decision A1). Returns undefined for a malformed or expired token. */
    identify(token: string): Promise<Bearer | undefined>;
}

export function authenticator(options: {
    services: Services;
    limiter: Limiter;
    sessionVerifier: SessionVerifier;
    keyFormat: ApiKeyFormat;
}): Authenticator {
    const { services, limiter, sessionVerifier, keyFormat } = options;

    function keyBearer(hash: Uint8Array): Bearer {
        return {
            kind: 'key',
            id: Buffer.from(hash).toString('base64'),
            async lookUp(context) {
                const key = await services.keys.authenticate({ hash, enforces_restrictions: true }, context);
                if (key.suspended) return 'suspended';
                if (!key.alive) return key.gone ? 'gone' : 'inactive';
                const { key_id, user_id, tier, rate_limit: limit, scope_mask, version } = key;
                const bucketId = key.bucket || key_id; // empty if the keys service is of an earlier release
                const tag = limiter.tag(user_id);
                const bucket = keyBucket(tag, user_id, bucketId);
                const mark = livenessMarkKey(tag, 'key', key_id);
                const principal = { user_id, tier, key_id, ...(scope_mask !== undefined && { scope_mask }) };
                const restrictions = restrictionsOf(key);
                const state = { principal, limitRequest: { tag, bucket, mark, version, limit, tier } };
                return restrictions ? { ...state, restrictions } : state;
            },
        };
    }

    function sessionBearer(sessionId: string): Bearer {
        return {
            kind: 'session',
            id: sessionId,
            async lookUp(context) {
                const session = await services.identity.confirmSession({ session_id: sessionId }, context);
                if (!session.alive) return session.suspended ? 'suspended' : 'gone';
                const { user_id, tier, rate_limit: limit, version } = session;
                const tag = limiter.tag(user_id);
                const bucket = sessionsBucket(tag, user_id);
                const mark = livenessMarkKey(tag, 'session', sessionId);
                const principal = { user_id, tier, session_id: sessionId };
                return { principal, limitRequest: { tag, bucket, mark, version, limit, tier } };
            },
        };
    }

    return {
        async identify(token) {
            if (token.startsWith(`${keyFormat.brand}_`)) {
                const key = parseApiKey(token, keyFormat);
                return key && keyBearer(key.hash);
            }
            const sessionId = await sessionVerifier.verify(token);
            return sessionId === undefined ? undefined : sessionBearer(sessionId);
        },
    };
}
