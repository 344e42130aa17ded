import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type {
    GetStatusManyRequest,
    GetStatusManyResponse,
    GetStatusRequest,
    Revocation,
    RevokeItem,
    RevokeManyRequest,
    RevokeManyResponse,
    RevokeRequest,
} from '../../proto/gen/credentials/v1/credentials.ts';
import { requireCredentialId } from '../credential-id.ts';
import type { ItemResult } from '../item-results.ts';
import { causeOf } from '../outbox/cause.ts';
import { type ItemContext, requireItems } from './batches.ts';
import type { CredentialsDependencies } from './dependencies.ts';
import type { CredentialStore, FoundRow } from './rows.ts';
import { requireIssuer, requireReason } from './rules.ts';

/**
 * Maximum number of bytes of the reasons in the answer to a batch. It keeps the answer below 4 MiB. Beyond it: each
 * further item has the code `too_large`, and succeeds in a smaller batch.
 */
const MAX_REASONS_BYTES = 3 << 20;

export async function revoke(
    deps: CredentialsDependencies,
    { credential_id, issuer_did, reason }: RevokeRequest,
    context: CallContext,
): Promise<Revocation> {
    const id = requireCredentialId(credential_id);
    requireIssuer(issuer_did);
    if (reason !== undefined) requireReason(reason);
    const mayRevoke = rightsOver(issuer_did, deps.services.did, context);
    return revokeOne(deps, { id, credential_id, issuer_did, reason, mayRevoke }, context);
}

/** Revokes credentials of one issuer. Throws AppError `invalid` if its DID or the reason of all items is invalid. */
export async function revokeMany(
    deps: CredentialsDependencies,
    { issuer_did, reason, items }: RevokeManyRequest,
    context: CallContext,
): Promise<RevokeManyResponse> {
    requireItems('items', items);
    requireIssuer(issuer_did);
    if (reason !== undefined) requireReason(reason);
    const mayRevoke = rightsOver(issuer_did, deps.services.did, context);
    const batch = { method: 'revoke', items, context } as const;
    const revokeItem = async (item: RevokeItem, own: ItemContext) => {
        const id = requireCredentialId(item.credential_id);
        if (item.reason !== undefined) requireReason(item.reason);
        return revokeOne(deps, { ...item, id, issuer_did, reason: item.reason ?? reason, mayRevoke }, own);
    };
    return { results: withinAnswer(await deps.batches.run(batch, revokeItem)) };
}

export async function getStatus(
    { store }: CredentialsDependencies,
    { credential_id }: GetStatusRequest,
    context: CallContext,
): Promise<Revocation> {
    return revocation(credential_id, await requireRow(store, requireCredentialId(credential_id), context));
}

export async function getStatusMany(
    deps: CredentialsDependencies,
    { credential_ids }: GetStatusManyRequest,
    context: CallContext,
): Promise<GetStatusManyResponse> {
    requireItems('credential_ids', credential_ids);
    const batch = { method: 'status', items: credential_ids, context } as const;
    const statusOf = (credentialId: string, own: ItemContext) => getStatus(deps, { credential_id: credentialId }, own);
    return { results: withinAnswer(await deps.batches.run(batch, statusOf)) };
}

/** A revocation whose fields are checked. `id` is the UUID in `credential_id`. */
interface Revoking extends RevokeRequest {
    id: string;
    mayRevoke(row: FoundRow): Promise<boolean>;
}

async function revokeOne(
    { store, clock }: CredentialsDependencies,
    { id, credential_id, issuer_did, reason, mayRevoke }: Revoking,
    context: CallContext,
): Promise<Revocation> {
    const row = await requireRow(store, id, context);
    if (row.issuer !== issuer_did) throw new AppError('forbidden', 'issuer_did is not the issuer of this credential.');
    if (!(await mayRevoke(row))) throw new AppError('forbidden', 'This account may not revoke this credential.');
    if (row.revoked_at !== null) return revocation(credential_id, row);
    const revokedAt = new Date(clock()).toISOString();
    // If several calls revoke the credential at once, the first one counts, and the others return its revocation.
    const cause = causeOf(context, row.account);
    const first = await store.revoke({ id, revoked_at: revokedAt, reason, cause }, context);
    return first
        ? { credential_id, revoked: true, revoked_at: revokedAt, reason }
        : revocation(credential_id, await requireRow(store, id, context));
}

/**
 * Returns a function that says whether the caller may revoke a credential of the issuer. It is true for the account that
 * issued the credential, for the owner of the issuer's DID, and for a trusted caller that acts for no account. The owner
 * is looked up at most once.
 */
function rightsOver(issuerDid: string, did: CredentialsDependencies['services']['did'], context: CallContext) {
    let owned: Promise<boolean> | undefined;
    const ownsIssuer = async () => (await did.filterOwned({ dids: [issuerDid] }, context)).dids.length > 0;
    return async ({ account }: FoundRow): Promise<boolean> => {
        if (context.trusted && context.user_id === undefined) return true;
        if (account === requireUser(context)) return true;
        owned ??= ownsIssuer();
        return owned;
    };
}

async function requireRow(store: CredentialStore, id: string, context: CallContext): Promise<FoundRow> {
    const row = await store.find(id, context);
    if (!row) throw new AppError('not_found', 'This credential does not exist.');
    return row;
}

function revocation(credentialId: string, { revoked_at, revocation_reason }: FoundRow): Revocation {
    if (revoked_at === null) return { credential_id: credentialId, revoked: false };
    return { credential_id: credentialId, revoked: true, revoked_at, reason: revocation_reason ?? undefined };
}

/** Replaces the results that would make the answer too large. Their items succeed in a smaller batch. */
function withinAnswer(results: Array<ItemResult<Revocation>>): Array<ItemResult<Revocation>> {
    let bytes = 0;
    return results.map((result) => {
        bytes += Buffer.byteLength(result.value?.reason ?? '');
        if (result.value === undefined || bytes <= MAX_REASONS_BYTES) return result;
        const error =
            'The answer has no room for the reason of this revocation. Send the item again in a smaller batch.';
        return { value: undefined, failure: { code: 'too_large', error } };
    });
}
