import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { DidServiceDefinition } from '../../proto/gen/did/v1/did.ts';
import { decodeDidKey, encodeDidKey } from '../../workers/crypto/did-key.ts';
import { type PublicKey, publicKeyFrom, secretKeyBytes } from '../../workers/crypto/ed25519.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import { requireLimit } from '../paging.ts';
import { type Quota, quotaExceeded, quotaOf } from '../quotas.ts';
import type { DidRow, DidStore } from './store.ts';

/** did:key identifiers: generated here or registered, and resolved. */
export function didService({
    store,
    signatures,
    quota,
}: {
    store: DidStore;
    signatures: Signatures;
    /** DIDs that an account may generate and register. */
    quota: Quota;
}): ServiceOf<typeof DidServiceDefinition> {
    async function insert(row: Omit<DidRow, 'account' | 'quota'>, context: CallContext): Promise<void> {
        const limit = quotaOf(quota, context);
        if (await store.insert({ ...row, account: context.user_id, quota: limit }, context)) return;
        throw quotaExceeded('DIDs', limit);
    }

    return {
        async create({ public_key: given }, context) {
            if (given === undefined) {
                const { did, public_key, seed } = await signatures.generate(context);
                await insert({ did, public_key, origin: 'generated' }, context);
                return { did, public_key, private_key: secretKeyBytes(seed, public_key) };
            }
            const key = requireKey(given);
            const did = encodeDidKey(key);
            await insert({ did, public_key: key, origin: 'registered' }, context);
            return { did, public_key: key };
        },

        async recordForWallet({ public_key }, context) {
            const key = requireKey(public_key);
            const did = encodeDidKey(key);
            await store.insert({ did, public_key: key, account: context.user_id, origin: 'wallet' }, context);
            return { did };
        },

        async resolve({ did, derive }, context) {
            const key = decodeDidKey(did);
            if (!key) throw invalid('The DID is not a did:key with an Ed25519 public key.');
            if (derive || (await store.find(did, context))) return { did, public_key: key };
            throw new AppError('not_found', 'This DID does not exist.');
        },

        async filterOwned({ dids }, context) {
            const account = requireUser(context);
            return { dids: await store.filterOwned({ account, dids }, context) };
        },

        async listOwned({ limit, after }, context) {
            const account = requireUser(context);
            requireLimit(limit);
            if (after !== undefined && !decodeDidKey(after)) throw invalid('after is not a DID of this list.');
            return { dids: await store.listOwned({ account, after, limit }, context) };
        },

        async getQuotas(_request, context) {
            const used = await store.count(requireUser(context), context);
            return { dids: { used, limit: quotaOf(quota, context) } };
        },
    };
}

function requireKey(bytes: Uint8Array): PublicKey {
    const key = publicKeyFrom(bytes);
    if (!key) throw invalid('public_key is not an acceptable Ed25519 public key.');
    return key;
}
