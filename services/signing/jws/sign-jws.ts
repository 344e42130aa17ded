import { type CallContext, requireTrusted } from '../../../platform/context.ts';
import { AppError, invalid } from '../../../platform/errors.ts';
import type { SignJwsRequest, SignJwsResponse } from '../../../proto/gen/signing/v1/signing.ts';
import type { KeyAlgorithm } from '../../../proto/key-algorithms.ts';
import type { SigningDependencies } from '../dependencies.ts';
import type { Signer } from '../signers.ts';

/** The types of tokens that verifiers of other makers read. Their headers are written here, so they say nothing else. */
type JwsType = 'dc+sd-jwt' | 'statuslist+jwt';

/** Largest payload of a token, in bytes. Beyond it: 413. */
const MAX_PAYLOAD_BYTES = 256 << 10;

/** Tokens are signed with an active key of the first of these algorithms that has one: most wallets know ES256. */
export const JWS_ALGORITHMS: readonly KeyAlgorithm[] = ['ES256', 'EdDSA'];

/** Signs a token in the name of one of the account's did:web issuers. */
export async function signJws(
    { signers, signatures }: SigningDependencies,
    { did, typ, payload, kid }: SignJwsRequest,
    context: CallContext,
): Promise<SignJwsResponse> {
    requireTrusted(context);
    if (typ !== 'dc+sd-jwt') throw invalid('typ must be dc+sd-jwt.');
    if (!payload.startsWith('{"')) throw invalid('payload must be a JSON object with a member.');
    if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) throw new AppError('too_large', 'The payload is too large.');
    const signer = await signers.find({ did, kid, algs: JWS_ALGORITHMS }, context);
    if (signer.method !== 'web') throw invalid('did must be that of a did:web issuer.');
    return { token: await signatures.signJws(jwsOf(signer, { did, typ, payload }), context), kid: signer.kid };
}

/** What the signature threads get. The header names the key by its DID URL, with which resolvers find it. */
export function jwsOf(
    { alg, kid, secretKey }: Pick<Signer, 'alg' | 'kid' | 'secretKey'>,
    { did, typ, payload }: { did: string; typ: JwsType; payload: string },
) {
    return { secretKey, header: JSON.stringify({ alg, typ, kid: `${did}#${kid}` }), payload };
}
