import { hash } from 'node:crypto';
import { type SessionTokenVerifier, sessionTokenVerifier } from '../../platform/access/session-token.ts';
import { createCache } from '../../platform/cache.ts';
import { ownContext } from '../../platform/context.ts';
import { singleFlight } from '../../platform/single-flight.ts';
import type { Services } from '../services.ts';

/**
 * Cached verified tokens. Verifying a signature takes 140 µs. Beyond it: the least recently used half is dropped, and
 * those signatures are verified again.
 */
const MAX_CACHED_TOKENS = 50_000;
/** Identity is asked for its keys at most this often, in milliseconds, also while it fails. */
const LEAST_REFETCH_MS = 1_000;
/** Keys older than this (ms) are fetched again, in the background: a key that was removed is then no longer accepted. */
const MAX_AGE_MS = 60_000;

export interface SessionVerifier {
    /** The session of a valid, unexpired access token. The token cannot say whether the session is still active. */
    verify(token: string): Promise<string | undefined>;
}

/**
 * Verifies access tokens with the public keys of identity. They are fetched when they are first needed, every minute
 * from then on, and when a token names an unknown key. A verified token is cached until its `exp`, by its SHA-256 only:
 * a copy of this process's memory contains no usable token.
 */
export function sessionVerifier({
    identity,
    clock,
}: {
    identity: Services['identity'];
    /** Milliseconds since 1970. */
    clock: () => number;
}): SessionVerifier {
    const newCache = () => createCache<string, { session_id: string; exp: number }>(MAX_CACHED_TOKENS);
    let cached = newCache();
    let kids = '';
    let verifier: SessionTokenVerifier = sessionTokenVerifier({ keys: [], clock });
    /** When identity was last asked (`performance.now()`), and what became of it. */
    let askedAt = Number.NEGATIVE_INFINITY;
    let asked = Promise.resolve();

    const fetchKeys = singleFlight(async () => {
        const { keys } = await identity.listSigningKeys({}, ownContext());
        verifier = sessionTokenVerifier({ keys, clock });
        const kidsNow = keys.map(({ kid }) => kid).join();
        if (kidsNow !== kids) cached = newCache(); // a token that was signed with a removed key is no longer valid
        kids = kidsNow;
    }, 'service identity');

    /** Fetches the keys. Calls within LEAST_REFETCH_MS share the result, or the error. */
    function refetch(): Promise<void> {
        const now = performance.now();
        if (now - askedAt >= LEAST_REFETCH_MS) {
            askedAt = now;
            asked = fetchKeys();
        }
        return asked;
    }

    /** Fetches the keys again if they are old. Until they have arrived, the old ones are used. */
    function refreshOldKeys(): void {
        if (performance.now() - askedAt >= MAX_AGE_MS) refetch().catch(() => {}); // tried again in a minute
    }

    return {
        async verify(token) {
            refreshOldKeys();
            const name = hash('sha256', token, 'base64');
            const known = cached.get(name);
            if (known && known.exp > clock() / 1_000) return known.session_id;
            let verdict = verifier.verify(token, 'access');
            if ('refused' in verdict && verdict.refused === 'unknown_key') {
                await refetch();
                verdict = verifier.verify(token, 'access');
            }
            if ('refused' in verdict) {
                cached.delete(name);
                return undefined;
            }
            const { sid, exp } = verdict.claims;
            cached.set(name, { session_id: sid, exp });
            return sid;
        },
    };
}
