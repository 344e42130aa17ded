import type { CallContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import { DEFAULT_KEY_ALGORITHM, KEY_ALGORITHMS, type KeyAlgorithm } from '../../proto/key-algorithms.ts';
import { didKeyFragment } from '../../workers/crypto/did-key.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import type { SecretKeyBinding } from './data-keys.ts';
import type { SigningDependencies } from './dependencies.ts';
import type { NewKey } from './rows.ts';

interface Made {
    /** The did:key of the public key. */
    did: string;
    public_key: Uint8Array;
    key: NewKey;
}

/** Generates a key of an issuer, and seals its secret. */
export async function makeKey(
    { signatures, seals }: Pick<SigningDependencies, 'signatures' | 'seals'>,
    { alg, ...owner }: Omit<SecretKeyBinding, 'kid'> & { alg: KeyAlgorithm },
    context: CallContext,
): Promise<Made> {
    const { did, public_key, secret } = await generated(signatures, alg, context);
    const kid = didKeyFragment(did);
    const sealed = await seals.seal(secret, { ...owner, kid }, context);
    return { did, public_key, key: { kid, alg, ...sealed } };
}

async function generated(signatures: Signatures, alg: KeyAlgorithm, context: CallContext) {
    if (alg === 'ES256') return signatures.generateP256(context);
    const { seed, ...named } = await signatures.generate(context);
    return { ...named, secret: seed };
}

/** Throws AppError `invalid` if there is no such algorithm. */
export function requireAlgorithm(text: string = DEFAULT_KEY_ALGORITHM): KeyAlgorithm {
    const alg = KEY_ALGORITHMS.find((known) => known === text);
    if (alg === undefined) throw invalid(`alg must be ${KEY_ALGORITHMS.join(' or ')}.`);
    return alg;
}

/** The algorithm of a rotation that names none: the default, unless the issuer has had keys of another one only. */
export function rotatedAlgorithm(keys: ReadonlyArray<{ alg: KeyAlgorithm }>): KeyAlgorithm {
    const [first] = keys;
    return first === undefined || keys.some(({ alg }) => alg !== first.alg) ? DEFAULT_KEY_ALGORITHM : first.alg;
}

/** The algorithm as requests are compared: the default is as good as none. */
export function comparedAlgorithm(alg: KeyAlgorithm | undefined): KeyAlgorithm | undefined {
    return alg === DEFAULT_KEY_ALGORITHM ? undefined : alg;
}
