import { encodeBase64Url } from '../../../platform/base64.ts';
import type { CallContext } from '../../../platform/context.ts';
import { AppError, invalid } from '../../../platform/errors.ts';
import { JsonError, topLevelString } from '../../../platform/json.ts';
import type { SignStatusListRequest, SignStatusListResponse } from '../../../proto/gen/signing/v1/signing.ts';
import type { SigningDependencies } from '../dependencies.ts';
import { type OwnIssuer, refuseOthers, signedBy } from '../own-issuer.ts';
import { JWS_ALGORITHMS, jwsOf } from './sign-jws.ts';

/** Largest payload, in bytes: a list of 2^20 statuses that cannot be compressed has a fifth of this. Beyond it: 413. */
const MAX_PAYLOAD_BYTES = 1 << 20;

/** The header of a status list token (draft-ietf-oauth-status-list, section 5.1). */
const HEADER = encodeBase64Url(Buffer.from('{"alg":"EdDSA","typ":"statuslist+jwt"}'));

/** Signs status lists: those of the service with the key of its own issuer, those of a did:web issuer with its key. */
export function statusLists(
    own: OwnIssuer,
    { signers, signatures }: Pick<SigningDependencies, 'signers' | 'signatures'>,
) {
    async function signOwn(payload: string, context: CallContext): Promise<SignStatusListResponse> {
        const did = await own.did(context);
        requireNamed(payload, did);
        const signed = `${HEADER}.${encodeBase64Url(Buffer.from(payload))}`;
        const signature = await own.withKey(did, (key) => signedBy(key, Buffer.from(signed)), context);
        return { token: `${signed}.${encodeBase64Url(signature)}` };
    }

    async function signFor(did: string, payload: string, context: CallContext): Promise<SignStatusListResponse> {
        requireNamed(payload, did);
        const signer = await signers.findForList({ did, algs: JWS_ALGORITHMS }, context);
        const jws = jwsOf(signer, { did, typ: 'statuslist+jwt', payload });
        return { token: await signatures.signJws(jws, context), kid: signer.kid };
    }

    return {
        /** Fails if the key cannot sign: nobody could read the lists of a key that is lost for longer than a day. */
        async getStatusKey(_request: object, context: CallContext) {
            const did = await own.did(context);
            await own.withKey(did, () => undefined, context);
            return { did };
        },

        async signStatusList({ payload, did }: SignStatusListRequest, context: CallContext) {
            refuseOthers(context, 'status lists');
            if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) {
                throw new AppError('too_large', 'The status list is too large.');
            }
            return did === undefined ? signOwn(payload, context) : signFor(did, payload, context);
        },
    };
}

/** A list that names another issuer than its signer would be refused everywhere. */
function requireNamed(payload: string, did: string): void {
    if (issuerOf(payload) !== did) throw invalid('The status list names another issuer.');
}

function issuerOf(payload: string): string | undefined {
    try {
        return topLevelString(payload, 'iss');
    } catch (error) {
        if (error instanceof JsonError) return undefined;
        throw error;
    }
}
