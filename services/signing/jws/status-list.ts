import { encodeBase64Url } from '../../../platform/base64.ts';
import type { CallContext } from '../../../platform/context.ts';
import { AppError, invalid } from '../../../platform/errors.ts';
import { JsonError, topLevelString } from '../../../platform/json.ts';
import type { SignStatusListRequest, SignStatusListResponse } from '../../../proto/gen/signing/v1/signing.ts';
import { type OwnIssuer, refuseOthers, signedBy } from '../own-issuer.ts';

/** Largest payload, in bytes: a list of 2^20 statuses that cannot be compressed has a fifth of this. Beyond it: 413. */
const MAX_PAYLOAD_BYTES = 1 << 20;

/** The header of a status list token (draft-ietf-oauth-status-list, section 5.1). */
const HEADER = encodeBase64Url(Buffer.from('{"alg":"EdDSA","typ":"statuslist+jwt"}'));

/** Signs status lists with the key of the service's own issuer. */
export function statusLists(own: OwnIssuer) {
    return {
        /** Fails if the key cannot sign: nobody could read the lists of a key that is lost for longer than a day. */
        async getStatusKey(_request: object, context: CallContext) {
            const did = await own.did(context);
            await own.withKey(did, () => undefined, context);
            return { did };
        },

        async signStatusList(
            { payload }: SignStatusListRequest,
            context: CallContext,
        ): Promise<SignStatusListResponse> {
            refuseOthers(context, 'status lists');
            const bytes = Buffer.from(payload);
            if (bytes.length > MAX_PAYLOAD_BYTES) throw new AppError('too_large', 'The status list is too large.');
            const did = await own.did(context);
            if (issuerOf(payload) !== did) throw invalid('The status list names another issuer.');
            const signed = `${HEADER}.${encodeBase64Url(bytes)}`;
            const signature = await own.withKey(did, (key) => signedBy(key, Buffer.from(signed)), context);
            return { token: `${signed}.${encodeBase64Url(signature)}` };
        },
    };
}

/** Returns the issuer that a list names. A list that names another one than its signer would be refused everywhere. */
function issuerOf(payload: string): string | undefined {
    try {
        return topLevelString(payload, 'iss');
    } catch (error) {
        if (error instanceof JsonError) return undefined;
        throw error;
    }
}
