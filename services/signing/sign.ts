import type { CallContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { GetKeysRequest, GetKeysResponse, SignRequest, SignResponse } from '../../proto/gen/signing/v1/signing.ts';
import { MAX_PRESENTED_CREDENTIALS } from '../../proto/limits.ts';
import { DID_KEY_SCHEME } from '../../tokens/did-key.ts';
import type { SigningDependencies } from './dependencies.ts';
import { JWS_ALGORITHMS } from './jws/sign-jws.ts';
import type { KeyRow } from './rows.ts';

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
            const usable = rows.filter((key) => key.compromised_at === null);
            return {
                did,
                kids: usable.map(({ kid }) => kid),
                compromised_kids: rows.filter((key) => !usable.includes(key)).map(({ kid }) => kid),
                list_kid: listKidOf(usable),
            };
        }),
    );
    return { issuers: found.filter(({ kids, compromised_kids }) => kids.length + compromised_kids.length > 0) };
}

/** The key that signs the status lists of an issuer, among those that are not compromised. */
function listKidOf(usable: ReadonlyArray<Pick<KeyRow, 'kid' | 'alg' | 'retired_at'>>): string | undefined {
    const active = usable.filter(({ retired_at }) => retired_at === null);
    return JWS_ALGORITHMS.map((alg) => active.find((key) => key.alg === alg)).find((key) => key !== undefined)?.kid;
}
