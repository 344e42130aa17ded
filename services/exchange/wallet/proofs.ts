import { MAX_AHEAD_S, timestampFault } from '../../../tokens/key-binding.ts';
import { type HolderKey, keyInDidUrl, keyInJwk } from '../../../workers/crypto/holder-key.ts';
import { hasSignature, MAX_JWT_LENGTH, splitJwt } from './jwt.ts';
import { LIFETIME_MS, type Nonces } from './nonces.ts';
import { oauthError } from './oauth-error.ts';

/** A key that a wallet has, and how it names it. */
export type ProvenKey = HolderKey & {
    /** The DID URL of the key; absent if the proof has the key itself. */
    did_url?: string;
};

/** What a proof must be made for. */
interface Purpose {
    /** The identifier of the credential issuer. */
    audience: string;
    issuer_id: string;
    proof_algs: readonly string[];
    nonces: Nonces;
    /** Milliseconds since 1970. */
    now: number;
}

const PROOF_TYPE = 'openid4vci-proof+jwt';

/**
 * Returns the keys that the proofs of a credential request prove, one for each key (OpenID4VCI 1.0, appendix F.1). Throws
 * `invalid_proof`, or `invalid_nonce` if only the nonce is none: then the wallet fetches a new one.
 */
export async function provenKeys(proofs: readonly string[], purpose: Purpose): Promise<ProvenKey[]> {
    const keys = await Promise.all(proofs.map((proof) => provenKey(proof, purpose)));
    return Array.from(Map.groupBy(keys, ({ thumbprint }) => thumbprint.toString('base64url')).values(), ([key]) => {
        return key as ProvenKey; // no group is empty
    });
}

async function provenKey(proof: string, { audience, issuer_id, proof_algs, nonces, now }: Purpose): Promise<ProvenKey> {
    const jwt = splitJwt(proof, PROOF_TYPE);
    if (!jwt) {
        throw invalidProof(
            `A proof must be a JWT of at most ${MAX_JWT_LENGTH} characters (typ ${PROOF_TYPE}, alg ES256 or EdDSA, no crit, no b64).`,
        );
    }
    const named = namedKey(jwt.header);
    if (!named) {
        throw invalidProof(
            'A proof must name a public P-256 or Ed25519 key: as jwk, or as kid of a did:key or did:jwk.',
        );
    }
    if (named.alg !== jwt.alg || !proof_algs.includes(jwt.alg)) {
        throw invalidProof('The alg of a proof must be that of its key, and one of the metadata.');
    }
    const { aud, iat, nonce } = jwt.payload;
    if (aud !== audience) throw invalidProof('The aud of a proof must be the credential issuer.');
    if (typeof iat !== 'number' || typeof nonce !== 'string') throw invalidProof('A proof must have iat and nonce.');
    const fault = timestampFault(jwt.payload, { now, maxAge: LIFETIME_MS / 1_000, tolerance: MAX_AHEAD_S });
    if (fault !== undefined) throw invalidProof(`A proof ${fault}.`);
    if (!(await hasSignature(jwt, named))) throw invalidProof('The signature of a proof is not valid.');
    if (!nonces.knows(nonce, issuer_id))
        throw oauthError('invalid_nonce', 'The nonce of a proof is unknown or too old.');
    return named;
}

/** The key that a header names in exactly one way. A chain of certificates is none of them. */
function namedKey({ jwk, kid, x5c }: Record<string, unknown>): ProvenKey | undefined {
    if (x5c !== undefined || (jwk === undefined) === (kid === undefined)) return undefined;
    if (jwk !== undefined) return keyInJwk(jwk);
    const key = typeof kid === 'string' ? keyInDidUrl(kid) : undefined;
    return key && { ...key, did_url: kid as string }; // it is one, or there would be no key
}

function invalidProof(detail: string) {
    return oauthError('invalid_proof', detail);
}
