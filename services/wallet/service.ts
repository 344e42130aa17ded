import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { DidServiceDefinition } from '../../proto/gen/did/v1/did.ts';
import type {
    AddCredentialRequest,
    AddCredentialResponse,
    CreateRequest,
    DeleteCredentialRequest,
    DeleteCredentialResponse,
    OpenRequest,
    OpenResponse,
    Wallet,
    WalletServiceDefinition,
} from '../../proto/gen/wallet/v1/wallet.ts';
import { MAX_METADATA_BYTES, MAX_PAGE_ROWS } from '../../proto/limits.ts';
import { encodeDidKey } from '../../workers/crypto/did-key.ts';
import { secretKeyBytes } from '../../workers/crypto/ed25519.ts';
import { isToken } from '../../workers/crypto/paseto.ts';
import { newKey, tagOf } from '../../workers/crypto/seal.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import { requireCredentialId } from '../credential-id.ts';
import { CREDENTIAL_MEMBERS, type CredentialContent, readPayload } from '../credential-payload.ts';
import type { Cursors } from '../cursors.ts';
import { requireJsonObject } from '../json-object.ts';
import { requireName, requireText } from '../texts.ts';
import { listCredentials, requirePage } from './list.ts';
import { checkOneMore, getQuotas, quotaCheck, type WalletQuotas } from './quotas.ts';
import { openWallet, sealCredential, sealWallet } from './records.ts';
import { lock, requirePassword, type UnlockDependencies, unlocked } from './unlock.ts';

export interface WalletDependencies extends UnlockDependencies {
    signatures: Signatures;
    services: { did: ServiceOf<typeof DidServiceDefinition> };
    cursors: Cursors;
    quotas: WalletQuotas;
    /** Milliseconds since 1970. */
    clock: () => number;
}

const MAX_DESCRIPTION_LENGTH = 2_000;

/** Wallets: a key pair, its DID and credentials, sealed with a password that is not stored anywhere. */
export function walletService(deps: WalletDependencies): ServiceOf<typeof WalletServiceDefinition> {
    return {
        create: (request, context) => create(deps, request, context),
        open: (request, context) => open(deps, request, context),
        addCredential: (request, context) => addCredential(deps, request, context),
        async listCredentials(request, context) {
            requirePassword(request.password);
            const page = requirePage(deps.cursors, request, context);
            return unlocked(deps, request, context, ({ id }, dataKey) =>
                listCredentials(deps, { wallet: id, data_key: dataKey }, page, context),
            );
        },
        deleteCredential: (request, context) => deleteCredential(deps, request, context),
        getQuotas: (_request, context) => getQuotas(deps, context),
    };
}

async function create(
    deps: WalletDependencies,
    { name: requested, description, password }: CreateRequest,
    context: CallContext,
): Promise<Wallet> {
    const name = requireName(requested);
    if (description !== undefined) requireText('description', description, MAX_DESCRIPTION_LENGTH);
    requirePassword(password);
    const check = quotaCheck(deps.quotas, ['wallets'], context);
    // Refuses early, before the expensive work. The check in the same transaction as the insert is the one that counts.
    if (context.user_id !== undefined) checkOneMore(await deps.store.stored(context.user_id, context), check);
    const now = deps.clock();
    const id = newId(now);
    const createdAt = new Date(now).toISOString();
    const dataKey = newKey();
    const locked = await lock(deps, { wallet: id, password, data_key: dataKey }, context);
    const pair = await deps.signatures.generate(context);
    const sealed = sealWallet({ pair, profile: { name, description } }, dataKey, id);
    dataKey.fill(0);
    pair.seed.fill(0);
    // Records the DID first. A DID without a wallet does no harm, but the DID of a wallet must exist before any client
    // sees it.
    const { did } = await deps.services.did.recordForWallet({ public_key: pair.public_key }, context);
    const row = { id, account: context.user_id ?? null, created_at: createdAt, ...locked, ...sealed };
    await deps.store.insert(row, check, context);
    return { wallet_id: id, name, did, public_key: pair.public_key, created_at: createdAt };
}

async function open(
    deps: WalletDependencies,
    { wallet_id, password }: OpenRequest,
    context: CallContext,
): Promise<OpenResponse> {
    requirePassword(password);
    return unlocked(deps, { wallet_id, password }, context, async (row, dataKey) => {
        const page = { limit: MAX_PAGE_ROWS, before: undefined, with_total: false, with_tokens: true };
        const credentials = await listCredentials(deps, { wallet: row.id, data_key: dataKey }, page, context);
        const { pair, profile } = openWallet(row, dataKey);
        const { public_key, seed } = pair;
        const privateKey = secretKeyBytes(seed, public_key);
        seed.fill(0);
        // Derived from the sealed key, so that changes to the unsealed columns of the database have no effect.
        const did = encodeDidKey(public_key);
        const wallet = { wallet_id, name: profile.name, did, public_key, created_at: row.created_at };
        return { wallet, private_key: privateKey, credentials };
    });
}

async function addCredential(
    deps: WalletDependencies,
    { wallet_id, password, credential, metadata }: AddCredentialRequest,
    context: CallContext,
): Promise<AddCredentialResponse> {
    requirePassword(password);
    if (!isToken(credential)) throw invalid('credential is not a v4.public token.');
    if (metadata !== undefined) requireJsonObject('metadata', metadata, MAX_METADATA_BYTES);
    return unlocked(deps, { wallet_id, password }, context, async (wallet, dataKey) => {
        const { credential_id, credential_type, issuer } = await authentic(deps.signatures, credential, context);
        const uuid = requireCredentialId(credential_id); // readPayload accepts no other ids
        const content = { credential, credential_type, issuer, metadata };
        const now = deps.clock();
        const entry = {
            wallet,
            credential: uuid,
            entry: newId(now),
            stored_at: new Date(now).toISOString(),
            issuer_tag: tagOf(issuer, dataKey),
            sealed: sealCredential(content, dataKey, { wallet: wallet.id, credential: uuid }),
        };
        const check = quotaCheck(deps.quotas, ['credentials', 'bytes'], context);
        const storedAt = await deps.store.put(entry, check, context);
        if (storedAt !== undefined) return { credential_id, wallet_id, credential_type, issuer, stored_at: storedAt };
        throw invalid('The wallet holds a credential with this id that another issuer has signed.');
    });
}

/** Returns the content of the token. Throws AppError `invalid` unless it is a credential that its issuer has signed. */
async function authentic(signatures: Signatures, token: string, context: CallContext): Promise<CredentialContent> {
    const opened = await signatures.open({ token, ...CREDENTIAL_MEMBERS }, context);
    if (!opened.ok) throw invalid(`credential is not authentic: ${opened.reason}`);
    const content = readPayload(opened);
    if ('invalidField' in content) {
        throw invalid(`credential is not a token of a credential: ${content.invalidField} is missing or unfit.`);
    }
    return content;
}

async function deleteCredential(
    deps: WalletDependencies,
    { wallet_id, password, credential_id }: DeleteCredentialRequest,
    context: CallContext,
): Promise<DeleteCredentialResponse> {
    requirePassword(password);
    const credential = requireCredentialId(credential_id);
    return unlocked(deps, { wallet_id, password }, context, async (wallet) => {
        const wasThere = await deps.store.remove({ wallet, credential }, context);
        if (!wasThere) throw new AppError('not_found', 'The wallet does not contain this credential.');
        return { credential_id, deleted_at: new Date(deps.clock()).toISOString() };
    });
}
