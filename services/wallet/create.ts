import { type CallContext, withoutIdempotencyKey } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { DidServiceDefinition } from '../../proto/gen/did/v1/did.ts';
import type { SigningServiceDefinition } from '../../proto/gen/signing/v1/signing.ts';
import { CreateRequest, type Wallet } from '../../proto/gen/wallet/v1/wallet.ts';
import { encodeDidKey } from '../../workers/crypto/did-key.ts';
import { newKey } from '../../workers/crypto/seal.ts';
import type { Signatures } from '../../workers/crypto/signatures.ts';
import type { Claim, HeldClaim } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { requireName, requireText } from '../texts.ts';
import type { WalletQuotas } from './quotas.ts';
import { openWallet, sealWallet } from './records.ts';
import { lock, requirePassword, type UnlockDependencies, unlocked } from './unlock.ts';

export interface CreateDependencies extends UnlockDependencies {
    signatures: Signatures;
    services: { did: ServiceOf<typeof DidServiceDefinition>; signing: ServiceOf<typeof SigningServiceDefinition> };
    idempotency: Idempotency;
    quotas: WalletQuotas;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/** Maximum length of a wallet's description, in characters. Beyond it: `invalid`. */
const MAX_DESCRIPTION_LENGTH = 2_000;

/** Creates a wallet. A repeated call gets the answer of the first one. */
export function create(deps: CreateDependencies, request: CreateRequest, context: CallContext): Promise<Wallet> {
    const { idempotency } = deps;
    const name = requireName(request.name);
    if (request.description !== undefined) {
        requireText('description', request.description, MAX_DESCRIPTION_LENGTH);
    }
    requirePassword(request.password);
    // The password is not compared with the one of the first call: whoever knows the key could guess it without a limit.
    const call = { operation: 'wallets.create', codec: CreateRequest, message: { ...request, name, password: '' } };
    const claim = idempotency.claimOf(call, context);
    const write = () => written(deps, { ...request, name }, claim, context);
    const replay = (held: HeldClaim, claim: Claim) => opened(deps, { request, held, claim }, context);
    return idempotency.once(claim, { write, replay, lookFirst: true }, context);
}

/** Creates the wallet. Resolves to undefined if an earlier call holds the claim. */
async function written(
    deps: CreateDependencies,
    { name, description, password }: CreateRequest,
    claim: Claim | undefined,
    context: CallContext,
): Promise<Wallet | undefined> {
    await deps.quotas.wallets.requireRoom(context); // before the expensive work
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
    const { did } = await deps.services.did.recordForWallet(
        { public_key: pair.public_key },
        withoutIdempotencyKey(context),
    );
    const row = { id, account: context.user_id ?? null, created_at: createdAt, ...locked, ...sealed };
    const newClaim = claim && { ...claim, id, made_at: createdAt, sealed: null };
    const outcome = await deps.store.insert(row, newClaim, context);
    if (outcome === 'held') return undefined;
    return { wallet_id: id, name, did, public_key: pair.public_key, created_at: createdAt };
}

/**
 * Answers a repeated call from the wallet itself, which the password opens. Throws AppError `unprocessable` if it is
 * another password, and `rate_limited` after too many of them.
 */
async function opened(
    deps: CreateDependencies,
    { request, held, claim }: { request: CreateRequest; held: HeldClaim; claim: Claim },
    context: CallContext,
): Promise<Wallet> {
    const target = { wallet_id: held.id, password: request.password };
    try {
        return await unlocked(deps, target, context, async (row, dataKey) => {
            const { pair, profile } = openWallet(row, dataKey);
            const { public_key, seed } = pair;
            seed.fill(0);
            const did = encodeDidKey(public_key);
            return { wallet_id: row.id, name: profile.name, did, public_key, created_at: row.created_at };
        });
    } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'unauthenticated') throw error;
        throw deps.idempotency.conflictOf(claim);
    }
}
