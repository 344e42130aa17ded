import { hash } from 'node:crypto';
import { createCache } from '../platform/cache.ts';
import { ownContext } from '../platform/context.ts';
import { type SessionTokenVerifier, sessionTokenVerifier } from '../platform/session-token.ts';
import type { Services } from './services.ts';

/** Verified tokens that are remembered: checking a signature again costs 140 µs. */
const REMEMBERED = 50_000;
/** The owner is asked for its keys at most this often, in milliseconds. */
const LEAST_REFETCH_MS = 1_000;

export interface SessionTokens {
    /** The session of a good, unexpired access token. Whether that session is still alive is not for the token to say. */
    verify(token: string): Promise<string | undefined>;
}

/**
 * Checks access tokens with identity's public keys, which are fetched when they are first needed and again when a token names
 * one that is not among them. A verified token is remembered until its `exp`, and by its SHA-256 alone: a copy of this
 * process' memory holds no token that could be used.
 */
export function sessionTokens({
    identity,
    clock,
}: {
    identity: Services['identity'];
    /** Milliseconds since 1970. */
    clock: () => number;
}): SessionTokens {
    const newCache = () => createCache<string, { session_id: string; exp: number }>(REMEMBERED);
    let remembered = newCache();
    let kids = '';
    let verifier: SessionTokenVerifier = sessionTokenVerifier({ keys: [], clock });
    let fetching: Promise<void> | undefined;
    let fetched_at = Number.NEGATIVE_INFINITY;

    async function fetchKeys(): Promise<void> {
        const { keys } = await identity.listSigningKeys({}, ownContext());
        verifier = sessionTokenVerifier({ keys, clock });
        const kids_now = keys.map(({ kid }) => kid).join();
        if (kids_now !== kids) remembered = newCache(); // what a key that is gone has signed is good no more
        kids = kids_now;
        fetched_at = performance.now();
    }

    async function refetch(): Promise<void> {
        if (performance.now() - fetched_at < LEAST_REFETCH_MS) return;
        fetching ??= fetchKeys().finally(() => {
            fetching = undefined;
        });
        await fetching;
    }

    return {
        async verify(token) {
            const name = hash('sha256', token, 'base64');
            const known = remembered.get(name);
            if (known && known.exp > clock() / 1_000) return known.session_id;
            let verdict = verifier.verify(token, 'access');
            if ('refused' in verdict && verdict.refused === 'unknown_key') {
                await refetch();
                verdict = verifier.verify(token, 'access');
            }
            if ('refused' in verdict) {
                remembered.delete(name);
                return undefined;
            }
            const { sid, exp } = verdict.claims;
            remembered.set(name, { session_id: sid, exp });
            return sid;
        },
    };
}
