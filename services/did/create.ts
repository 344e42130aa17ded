import type { CallContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { CreateRequest, CreateResponse } from '../../proto/gen/did/v1/did.ts';
import { encodeDidKey } from '../../workers/crypto/did-key.ts';
import { type PublicKey, publicKeyFrom, secretKeyBytes } from '../../workers/crypto/ed25519.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import type { ApproximateQuota } from '../approximate-quota.ts';
import { openAnswer, sealAnswer } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { DidRow } from './rows.ts';
import type { DidStore } from './store.ts';

export interface CreateDependencies {
    store: DidStore;
    signatures: Signatures;
    idempotency: Idempotency;
    /** The quota of the DIDs that an account generates and registers. Those of wallets do not count. */
    quota: ApproximateQuota;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/** Returns the method that generates a DID, or registers the DID of a given public key. */
export function creation(deps: CreateDependencies) {
    const { store, idempotency, clock } = deps;
    return async (request: CreateRequest, context: CallContext): Promise<CreateResponse> => {
        const key = request.public_key && requireKey(request.public_key);
        const call = { operation: 'did.create', codec: CreateRequest, message: request };
        const claim = idempotency.claimOf({ ...call, showsSecret: true }, context);

        const write = async (): Promise<CreateResponse | undefined> => {
            await requireRoom(deps, key, context);
            const { answer, origin } = key ? registered(key) : await generated(deps, context);
            const { did, public_key } = answer;
            const row: DidRow = { did, public_key, origin, account: context.user_id };
            if (!claim) {
                await store.insert(row, context);
                return answer;
            }
            const newClaim = {
                ...claim,
                id: newId(),
                made_at: new Date(clock()).toISOString(),
                sealed: sealAnswer(claim, { codec: CreateResponse, message: answer }),
            };
            const outcome = await store.insertOnce({ row, claim: newClaim }, context);
            return outcome === 'written' ? answer : undefined;
        };
        return idempotency.once(claim, { write, replay: openAnswer(CreateResponse), lookFirst: true }, context);
    };
}

/** Throws AppError `forbidden` if the account has no room for another DID. One that exists needs none. */
async function requireRoom(
    { store, quota }: CreateDependencies,
    key: PublicKey | undefined,
    context: CallContext,
): Promise<void> {
    try {
        await quota.requireRoom(context);
    } catch (refusal) {
        if (!key || !(await store.find(encodeDidKey(key), context))) throw refusal;
    }
}

function registered(key: PublicKey): { answer: CreateResponse; origin: 'registered' } {
    return { answer: { did: encodeDidKey(key), public_key: key }, origin: 'registered' };
}

async function generated(
    { signatures }: CreateDependencies,
    context: CallContext,
): Promise<{ answer: CreateResponse; origin: 'generated' }> {
    const { did, public_key, seed } = await signatures.generate(context);
    return { answer: { did, public_key, private_key: secretKeyBytes(seed, public_key) }, origin: 'generated' };
}

/** Throws AppError `invalid` if the bytes are not a public key that the service accepts. */
export function requireKey(bytes: Uint8Array): PublicKey {
    const key = publicKeyFrom(bytes);
    if (!key) throw invalid('public_key is not an acceptable Ed25519 public key.');
    return key;
}
