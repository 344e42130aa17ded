import { requireUser } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { DidServiceDefinition } from '../../proto/gen/did/v1/did.ts';
import { decodeDidKey, encodeDidKey } from '../../workers/crypto/did-key.ts';
import { type PublicKey, publicKeyFrom, secretKeyBytes } from '../../workers/crypto/ed25519.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import { requireLimit } from '../paging.ts';
import type { DidStore } from './store.ts';

/** did:key identifiers: made here or registered, and resolved. */
export function didService({
    store,
    signatures,
}: {
    store: DidStore;
    signatures: Signatures;
}): ServiceOf<typeof DidServiceDefinition> {
    return {
        async create({ public_key: given }, context) {
            const account = context.user_id;
            if (given === undefined) {
                const { did, public_key, seed } = await signatures.generate(context);
                await store.insert({ did, public_key, account, origin: 'generated' }, context);
                return { did, public_key, private_key: secretKeyBytes(seed, public_key) };
            }
            const key = requireKey(given);
            const did = encodeDidKey(key);
            await store.insert({ did, public_key: key, account, origin: 'registered' }, context);
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
            throw new AppError('not_found', 'This DID is not known here.');
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
    };
}

function requireKey(bytes: Uint8Array): PublicKey {
    const key = publicKeyFrom(bytes);
    if (!key) throw invalid('public_key is not an acceptable Ed25519 public key.');
    return key;
}
