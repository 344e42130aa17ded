import type { Guard } from '../../platform/access/guard.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import {
    AddCredentialRequest,
    AddCredentialResponse,
    type DeleteCredentialRequest,
    type DeleteCredentialResponse,
    type OpenRequest,
    type OpenResponse,
    type WalletServiceDefinition,
} from '../../proto/gen/wallet/v1/wallet.ts';
import { MAX_METADATA_BYTES, MAX_PAGE_ROWS } from '../../proto/limits.ts';
import { CREDENTIAL_MEMBERS, type CredentialContent, readPayload } from '../../tokens/credential.ts';
import { isToken } from '../../tokens/v4-public.ts';
import { encodeDidKey } from '../../workers/crypto/did-key.ts';
import { secretKeyBytes } from '../../workers/crypto/ed25519.ts';
import { tagOf } from '../../workers/crypto/seal.ts';
import { requireCredentialId } from '../credential-id.ts';
import type { Cursors } from '../cursors.ts';
import { erasure } from '../erasure.ts';
import { type Claim, openAnswer, sealAnswer } from '../idempotency/claim.ts';
import { type WebKeys, webKeys } from '../issuers/web-keys.ts';
import { requireJsonObject } from '../json-object.ts';
import { type CreateDependencies, create } from './create.ts';
import { listCredentials, requirePage } from './list.ts';
import { listWallets } from './list-wallets.ts';
import { getQuotas, roomFor } from './quotas.ts';
import { openWallet, sealCredential } from './records.ts';
import type { WalletRow } from './rows.ts';
import { guardSubject, requirePassword, unlocked } from './unlock.ts';

interface WalletOptions extends CreateDependencies {
    guard: Guard;
    cursors: Cursors;
}

interface WalletDependencies extends WalletOptions {
    webKeys: WebKeys;
}

/** A credential that is added to an open wallet. */
interface Addition {
    wallet: WalletRow;
    dataKey: Uint8Array;
    content: CredentialContent;
    request: AddCredentialRequest;
    claim: Claim | undefined;
}

/** Wallets: a key pair, its DID and credentials, sealed with a password that is not stored anywhere. */
export function walletService(options: WalletOptions): ServiceOf<typeof WalletServiceDefinition> {
    const { store, guard } = options;
    const deps: WalletDependencies = { ...options, webKeys: webKeys(options.services.signing) };
    return {
        create: (request, context) => create(deps, request, context),
        open: (request, context) => open(deps, request, context),
        addCredential: (request, context) => addCredential(deps, request, context),
        list: (request, context) => listWallets(deps, request, context),
        async listCredentials(request, context) {
            requirePassword(request.password);
            const page = requirePage(deps.cursors, request, context);
            return unlocked(deps, request, context, ({ id }, dataKey) =>
                listCredentials(deps, { wallet: id, data_key: dataKey }, page, context),
            );
        },
        deleteCredential: (request, context) => deleteCredential(deps, request, context),
        getQuotas: (_request, context) => getQuotas(deps.quotas, context),
        eraseAccount: erasure(store.erasure((wallets) => guard.forget(wallets.map(guardSubject)))),
    };
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

function addCredential(
    deps: WalletDependencies,
    request: AddCredentialRequest,
    context: CallContext,
): Promise<AddCredentialResponse> {
    const { wallet_id, password, credential, metadata } = request;
    requirePassword(password);
    if (!isToken(credential)) throw invalid('credential is not a v4.public token.');
    if (metadata !== undefined) requireJsonObject('metadata', metadata, MAX_METADATA_BYTES);
    // The password is not compared with the one of the first call, because it must open the wallet anyway.
    const message = { ...request, password: '' };
    const call = { operation: 'wallets.add_credential', codec: AddCredentialRequest, message };
    const claim = deps.idempotency.claimOf(call, context);
    // The password must open the wallet first, also for a replay, so that all wrong passwords are counted.
    return unlocked(deps, { wallet_id, password }, context, async (wallet, dataKey) => {
        const content = await authentic(deps, credential, context);
        const write = () => put(deps, { wallet, dataKey, content, request, claim }, context);
        return deps.idempotency.once(claim, { write, replay: openAnswer(AddCredentialResponse) }, context);
    });
}

/** Stores the credential. Resolves to undefined if an earlier call holds the claim. */
async function put(
    deps: WalletDependencies,
    { wallet, dataKey, content, request, claim }: Addition,
    context: CallContext,
): Promise<AddCredentialResponse | undefined> {
    const { credential_id, credential_type, issuer } = content;
    const { credential, metadata, wallet_id } = request;
    const uuid = requireCredentialId(credential_id); // readPayload accepts no other ids
    const now = deps.clock();
    const entry = {
        wallet,
        credential: uuid,
        entry: newId(now),
        stored_at: new Date(now).toISOString(),
        issuer_tag: tagOf(issuer, dataKey),
        sealed: sealCredential({ credential, credential_type, issuer, metadata }, dataKey, {
            wallet: wallet.id,
            credential: uuid,
        }),
    };
    const answerAt = (storedAt: string) => ({
        credential_id,
        wallet_id,
        credential_type,
        issuer,
        stored_at: storedAt,
    });
    const once = claim && {
        claim: { ...claim, id: entry.entry, made_at: entry.stored_at, sealed: null },
        seal: (storedAt: string) => sealAnswer(claim, { codec: AddCredentialResponse, message: answerAt(storedAt) }),
    };
    await roomFor(deps, entry, context);
    const storedAt = await deps.store.put(entry, once, context);
    if (storedAt === 'held') return undefined;
    if (storedAt !== undefined) return answerAt(storedAt);
    throw invalid('The wallet holds a credential with this id that another issuer has signed.');
}

/** Returns the content of the token. Throws AppError `invalid` unless it is a credential that its issuer has signed. */
async function authentic(
    { signatures, webKeys }: WalletDependencies,
    token: string,
    context: CallContext,
): Promise<CredentialContent> {
    const opened = await signatures.open({ token, byKid: true, ...CREDENTIAL_MEMBERS }, context);
    if (!opened.ok) throw invalid(`credential is not authentic: ${opened.reason}`);
    const content = readPayload(opened);
    if ('invalidField' in content) {
        throw invalid(`credential is not a token of a credential: ${content.invalidField} is missing or unfit.`);
    }
    const fault = await webKeys.fault({ did: content.issuer, kid: content.kid }, context);
    if (fault !== undefined) throw invalid(`credential is not authentic: ${fault}`);
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
