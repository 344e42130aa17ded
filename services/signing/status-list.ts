import { encodeBase64Url } from '../../platform/base64.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { JsonError, topLevelString } from '../../platform/json.ts';
import type { SignStatusListRequest, SignStatusListResponse } from '../../proto/gen/signing/v1/signing.ts';
import { keyPairFrom, sign } from '../../workers/crypto/ed25519.ts';
import { newIssuer } from './create.ts';
import type { SigningDependencies } from './dependencies.ts';

/** The name of the issuer that is the service itself. */
const OWN_NAME = 'status lists of this service';
/** Largest payload, in bytes: a list of 2^20 statuses that cannot be compressed has a fifth of this. Beyond it: 413. */
const MAX_PAYLOAD_BYTES = 1 << 20;

/** The header of a status list token (draft-ietf-oauth-status-list, section 5.1). */
const HEADER = encodeBase64Url(Buffer.from('{"alg":"EdDSA","typ":"statuslist+jwt"}'));

/** Signs status lists with the key of the service's own issuer, a did:key that is created when it is first needed. */
export function statusLists(deps: SigningDependencies) {
    async function ownDid(context: CallContext): Promise<string> {
        const did = (await deps.store.findOwnIssuer(context)) ?? (await createOwn(context));
        if (did !== undefined) return did;
        throw new AppError('unavailable', 'The key of the status lists has just been given up.', { retry_after: 1 });
    }

    async function createOwn(context: CallContext): Promise<string | undefined> {
        const created = await newIssuer(deps, { account: null, name: OWN_NAME, method: 'key' }, context);
        return deps.store.ownIssuer(created, context);
    }

    async function ownKey(did: string, context: CallContext) {
        const [row] = await deps.store.ownSigner(did, context);
        const seed = row && (await deps.seeds.open(row, { account: null, issuer: row.id, kid: row.kid }, context));
        const pair = seed && keyPairFrom(seed);
        if (!pair) throw new AppError('internal', 'The key of the status lists cannot be read.');
        return pair;
    }

    return {
        /** Fails if the key cannot sign: nobody could read the lists of a key that is lost for longer than a day. */
        async getStatusKey(_request: object, context: CallContext) {
            const did = await ownDid(context);
            const { seed } = await ownKey(did, context);
            seed.fill(0);
            return { did };
        },

        async signStatusList(
            { payload }: SignStatusListRequest,
            context: CallContext,
        ): Promise<SignStatusListResponse> {
            if (!context.trusted || context.user_id !== undefined) {
                throw new AppError('forbidden', 'Only the service itself signs status lists.');
            }
            const bytes = Buffer.from(payload);
            if (bytes.length > MAX_PAYLOAD_BYTES) throw new AppError('too_large', 'The status list is too large.');
            const did = await ownDid(context);
            if (issuerOf(payload) !== did) throw invalid('The status list names another issuer.');
            const { seed, public_key } = await ownKey(did, context);
            const signed = `${HEADER}.${encodeBase64Url(bytes)}`;
            const signature = sign(Buffer.from(signed), seed, public_key);
            seed.fill(0);
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
