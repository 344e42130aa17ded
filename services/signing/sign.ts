import type { CallContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { GetKeysRequest, GetKeysResponse, SignRequest, SignResponse } from '../../proto/gen/signing/v1/signing.ts';
import { MAX_PRESENTED_CREDENTIALS } from '../../proto/limits.ts';
import { DID_KEY_SCHEME } from '../../tokens/did-key.ts';
import type { SigningDependencies } from './dependencies.ts';

/** Signs a payload with the active key of one of the account's issuers. */
export async function sign(
    { signers, signatures }: SigningDependencies,
    { did, payload, kid: asked }: SignRequest,
    context: CallContext,
): Promise<SignResponse> {
    const { kid, method, secretKey } = await signers.find({ did, kid: asked }, context);
    const key = { did: DID_KEY_SCHEME + kid, secretKey };
    if (method === 'key') return { token: await signatures.sign({ ...key, payload }, context) };
    return { token: await signatures.sign({ ...key, payload: withKid(payload, kid) }, context), kid };
}

/** Adds the member `kid`, with which verifiers find the key, in front of the others. */
function withKid(payload: string, kid: string): string {
    if (!payload.startsWith('{"')) throw invalid('payload must be a JSON object with a member.');
    return `{"kid":"${kid}",${payload.slice(1)}`;
}

/** Returns the keys of the did:web issuers among these DIDs. */
export async function getKeys(
    { store }: SigningDependencies,
    { dids }: GetKeysRequest,
    context: CallContext,
): Promise<GetKeysResponse> {
    if (dids.length > MAX_PRESENTED_CREDENTIALS) throw invalid(`dids may have ${MAX_PRESENTED_CREDENTIALS} items.`);
    const found = await Promise.all(
        [...new Set(dids)].map(async (did) => {
            const rows = await store.kids(did, context);
            const isUsable = (key: { compromised_at: string | null }) => key.compromised_at === null;
            return {
                did,
                kids: rows.filter(isUsable).map(({ kid }) => kid),
                compromised_kids: rows.filter((key) => !isUsable(key)).map(({ kid }) => kid),
            };
        }),
    );
    return { issuers: found.filter(({ kids, compromised_kids }) => kids.length + compromised_kids.length > 0) };
}
