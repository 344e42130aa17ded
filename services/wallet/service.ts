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
            return unlocked(deps, request, context, ({ id }, data_key) =>
                listCredentials(deps, { wallet: id, data_key }, page, context),
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
    // Avoids work that a refusal would waste. The check together with the insert is the one that counts.
    if (context.user_id !== undefined) checkOneMore(await deps.store.stored(context.user_id, context), check);
    const now = deps.clock();
    const id = newId(now);
    const created_at = new Date(now).toISOString();
    const data_key = newKey();
    const locked = await lock(deps, { wallet: id, password, data_key }, context);
    const pair = await deps.signatures.generate(context);
    const sealed = sealWallet({ pair, profile: { name, description } }, data_key, id);
    data_key.fill(0);
    pair.seed.fill(0);
    // The DID comes first: a DID without a wallet does no harm, but the DID of a wallet must exist before anybody sees
    // it.
    const { did } = await deps.services.did.recordForWallet({ public_key: pair.public_key }, context);
    const row = { id, account: context.user_id ?? null, created_at, ...locked, ...sealed };
    await deps.store.insert(row, check, context);
    return { wallet_id: id, name, did, public_key: pair.public_key, created_at };
}

async function open(
    deps: WalletDependencies,
    { wallet_id, password }: OpenRequest,
    context: CallContext,
): Promise<OpenResponse> {
    requirePassword(password);
    return unlocked(deps, { wallet_id, password }, context, async (row, data_key) => {
        const page = { limit: MAX_PAGE_ROWS, before: undefined, with_total: false, with_tokens: true };
        const credentials = await listCredentials(deps, { wallet: row.id, data_key }, page, context);
        const { pair, profile } = openWallet(row, data_key);
        const { public_key, seed } = pair;
        const private_key = secretKeyBytes(seed, public_key);
        seed.fill(0);
        // From the sealed key, so that changed plain columns of the database have no effect.
        const did = encodeDidKey(public_key);
        const wallet = { wallet_id, name: profile.name, did, public_key, created_at: row.created_at };
        return { wallet, private_key, credentials };
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
    return unlocked(deps, { wallet_id, password }, context, async (wallet, data_key) => {
        const { credential_id, credential_type, issuer } = await authentic(deps.signatures, credential, context);
        const uuid = requireCredentialId(credential_id); // readPayload accepts no other ids
        const content = { credential, credential_type, issuer, metadata };
        const now = deps.clock();
        const entry = {
            wallet,
            credential: uuid,
            entry: newId(now),
            stored_at: new Date(now).toISOString(),
            issuer_tag: tagOf(issuer, data_key),
            sealed: sealCredential(content, data_key, { wallet: wallet.id, credential: uuid }),
        };
        const check = quotaCheck(deps.quotas, ['credentials', 'bytes'], context);
        const stored_at = await deps.store.put(entry, check, context);
        if (stored_at !== undefined) return { credential_id, wallet_id, credential_type, issuer, stored_at };
        throw invalid('The wallet holds a credential with this id that another issuer has signed.');
    });
}

/** The content of the token. AppError `invalid` unless it is a credential that its issuer has signed. */
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
        const was_there = await deps.store.remove({ wallet, credential }, context);
        if (!was_there) throw new AppError('not_found', 'The wallet does not contain this credential.');
        return { credential_id, deleted_at: new Date(deps.clock()).toISOString() };
    });
}
