import { type CallContext, withoutIdempotencyKey } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import { type SigningServiceDefinition, SignResponse } from '../../proto/gen/signing/v1/signing.ts';
import { decodeDidKey } from '../../tokens/did-key.ts';
import { isIssuerWebDid } from '../../tokens/web-did.ts';
import { signerOf } from '../../workers/crypto/signature-jobs.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import { type Claim, type HeldClaim, openAnswer, sealAnswer } from '../idempotency/claim.ts';

/** Who signs: a DID, and its private key if the caller has it. Otherwise the DID must be one of the caller's issuers. */
interface Signer {
    did: string;
    secretKey: Uint8Array | undefined;
    /** The name of the field that has the private key, for messages. */
    field: string;
}

interface Signed {
    token: string;
    /** The key that signed, if the signer is a did:web. */
    kid?: string | undefined;
}

export interface TokenSigner {
    /**
     * Signs a payload. `kid`: the key that has signed it before. Throws AppError `invalid` if the private key is wrong or
     * missing, and `conflict` if the issuer signs no more.
     */
    sign(
        signer: Signer & { payload: string; kid?: string | undefined },
        context: CallContext & { background?: boolean },
    ): Promise<Signed>;
    /** Throws as sign() does, without signing, if the private key is wrong, or missing and the DID is not one of the caller's issuers. */
    check(signer: Signer, context: CallContext): Promise<void>;
    /** Signs the JWT of an SD-JWT VC in the name of a did:web issuer of the caller. Throws as sign() does. */
    signSdJwt(
        signing: Pick<Signer, 'did'> & { payload: string; kid?: string | undefined },
        context: CallContext,
    ): Promise<Signed>;
    /** Throws as signSdJwt() does, without signing. */
    checkSdJwt(did: string, context: CallContext): Promise<void>;
}

/** Signs tokens with the key that a caller sends, or lets the signing service do it. */
export function tokenSigner(deps: {
    signatures: Signatures;
    signing: ServiceOf<typeof SigningServiceDefinition>;
}): TokenSigner {
    const { signatures, signing } = deps;
    return {
        async sign({ did, secretKey, field, payload, kid }, context) {
            if (secretKey === undefined) {
                const own = withoutIdempotencyKey(context);
                return signing.sign({ did, payload, kid }, own).catch((error) => refuse(error, { did, field }));
            }
            refuseKeyOf(did, field);
            return { token: await signatures.sign({ did, secretKey, payload }, context) };
        },
        async check({ did, secretKey, field }, context) {
            if (secretKey === undefined) {
                const own = withoutIdempotencyKey(context);
                await signing.checkSigner({ did }, own).catch((error) => refuse(error, { did, field }));
                return;
            }
            refuseKeyOf(did, field);
            signerOf({ did, secretKey });
        },
        async signSdJwt({ did, payload, kid }, context) {
            const own = { ...withoutIdempotencyKey(context), trusted: true };
            const request = { did, typ: 'dc+sd-jwt', payload, kid };
            return signing.signJws(request, own).catch((error) => refuse(error, { did, field: 'issuer_private_key' }));
        },
        async checkSdJwt(did, context) {
            const own = withoutIdempotencyKey(context);
            await signing
                .checkSigner({ did, jws: true }, own)
                .catch((error) => refuse(error, { did, field: 'issuer_private_key' }));
        },
    };
}

/** Nobody sends the key of a did:web of the service. */
function refuseKeyOf(did: string, field: string): void {
    if (!isIssuerWebDid(did)) return;
    throw invalid(`${field} must be left out: nobody but the service has the keys of this issuer.`);
}

/** Without an issuer of that DID, the caller should have sent a private key, or named another DID. */
function refuse(error: unknown, { did, field }: Pick<Signer, 'did' | 'field'>): never {
    if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
    throw invalid(isIssuerWebDid(did) ? error.detail : `${field} is required.`);
}

/** Returns what a claim keeps, so that a repeated call signs with the same key. A did:key has only one. */
export function sealKid(claim: Claim, kid: string | undefined): Buffer | null {
    return kid === undefined ? null : sealAnswer(claim, { codec: SignResponse, message: { token: '', kid } });
}

/** Returns what sealKid() has sealed. */
export function openKid(held: HeldClaim, claim: Claim): string | undefined {
    return held.sealed === null ? undefined : openAnswer(SignResponse)(held, claim).kid;
}

/**
 * The private key of a did:key in its longer form, seed and public key, to compare it with another one. Any other text
 * stays as it is.
 */
export function completeKey(secretKey: Uint8Array | undefined, did: string): Uint8Array | undefined {
    const publicKey = decodeDidKey(did);
    if (secretKey === undefined || secretKey.length !== publicKey?.length) return secretKey;
    return Buffer.concat([secretKey, publicKey]);
}
