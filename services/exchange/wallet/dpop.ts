import { hash } from 'node:crypto';
import { AppError } from '../../../platform/errors.ts';
import type { Redis } from '../../../platform/redis/redis.ts';
import { MAX_AHEAD_S, timestampFault } from '../../../tokens/key-binding.ts';
import { keyInJwk } from '../../../workers/crypto/holder-key.ts';
import { hasSignature, splitJwt } from './jwt.ts';

/** What a DPoP proof must be made for (RFC 9449, section 4.3). */
interface Purpose {
    method: 'POST';
    url: string;
    /** The access token that is used with it; absent when one is asked for. */
    token?: string;
}

export interface DpopProofs {
    /** Returns the thumbprint of the key that has made the proof; undefined if the proof is not acceptable, or was used. */
    keyOf(proof: string, purpose: Purpose): Promise<string | undefined>;
}

const TYPE = 'dpop+jwt';
/** How old a proof may be, in seconds. Beyond it: the proof is not acceptable. */
const MAX_AGE_S = 60;
/** How long the id of a proof is remembered, in seconds: a minute longer than needed, as clocks of processes may differ. */
const REMEMBERED_S = MAX_AHEAD_S + MAX_AGE_S + 60;
/** Maximum length of the id of a proof, in characters. Beyond it: the proof is not acceptable. */
const MAX_ID_LENGTH = 256;

/** `firstUse`: resolves to true if this id was not used before, for as long as its proof is acceptable. */
export function dpopProofs(firstUse: (id: string) => Promise<boolean>, clock: () => number): DpopProofs {
    return {
        async keyOf(proof, { method, url, token }) {
            const jwt = splitJwt(proof, TYPE);
            const key = jwt && keyInJwk(jwt.header['jwk']);
            if (!jwt || !key || key.alg !== jwt.alg) return undefined;
            const { htm, htu, jti, ath } = jwt.payload;
            const times = { now: clock(), maxAge: MAX_AGE_S, tolerance: MAX_AHEAD_S };
            const isRecent = timestampFault(jwt.payload, times) === undefined;
            const isHere = htm === method && typeof htu === 'string' && targetOf(htu) === targetOf(url);
            const isOfToken = token === undefined || ath === hash('sha256', token, 'base64url');
            const isNamed = typeof jti === 'string' && jti !== '' && jti.length <= MAX_ID_LENGTH;
            if (!isRecent || !isHere || !isOfToken || !isNamed) return undefined;
            if (!(await hasSignature(jwt, key))) return undefined;
            const thumbprint = key.thumbprint.toString('base64url');
            const isFirst = await firstUse(hash('sha256', `${thumbprint} ${jti}`, 'base64url'));
            return isFirst ? thumbprint : undefined;
        },
    };
}

/** A scheme and an authority without user information. Anything else stays as it is, so it is no target of a proof. */
const ORIGIN = /^[A-Za-z]+:\/\/[A-Za-z0-9._:[\]-]+/;
const DEFAULT_PORT = /^(https:.*):(?:443)?$|^(http:.*):(?:80)?$/;

/**
 * Returns an http URI without query and fragment, its scheme and host in lower case, and without a port that is the default
 * (RFC 9449, section 4.3, with RFC 3986, section 6.2). Paths are compared as text.
 */
function targetOf(uri: string): string {
    const [target = ''] = uri.split(/[?#]/, 1);
    return target.replace(ORIGIN, (origin) => origin.toLowerCase().replace(DEFAULT_PORT, '$1$2'));
}

/** Remembers the ids of proofs in Redis. An id can be used once, by all processes together. */
export function usedProofs(redis: Redis): (id: string) => Promise<boolean> {
    return async (id) => {
        const answer = await redis.set(`dpop:${id}`, '1', 'EX', REMEMBERED_S, 'NX').catch((cause: unknown) => {
            const text = 'The use of a DPoP proof cannot be recorded now.';
            throw new AppError('unavailable', text, { retry_after: 1, reason: 'redis', cause });
        });
        return answer === 'OK';
    };
}
