import { type CallContext, requireUser } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { CredentialSummary, ListRequest, ListResponse } from '../../proto/gen/credentials/v1/credentials.ts';
import type { DidServiceDefinition } from '../../proto/gen/did/v1/did.ts';
import { credentialId } from '../../tokens/credential-id.ts';
import type { Cursors } from '../cursors.ts';
import { onePage, requireLimit, totalOf } from '../paging.ts';
import { requireSubject } from '../texts.ts';
import type { CredentialStore, ListedRow, Party } from './rows.ts';
import { requireIssuer } from './rules.ts';

export interface ListDependencies {
    store: CredentialStore;
    services: { did: ServiceOf<typeof DidServiceDefinition> };
    cursors: Cursors;
    /**
     * What a list shows. owner: of a DID that the caller's account owns, every credential; of any other DID, those that
     * the account has issued. platform: every credential.
     */
    listScope: 'owner' | 'platform';
}

/** Returns one page of a party's credentials, newest first. */
export async function listCredentials(
    deps: ListDependencies,
    request: ListRequest,
    context: CallContext,
): Promise<ListResponse> {
    const { role, did } = requireParty(request);
    requireLimit(request.limit); // before another service is asked
    const party = { role, did, issued_by: await issuedBy(deps, did, context) };
    const { page, next_cursor } = await onePage(request, {
        cursors: deps.cursors,
        scope: { list: `credentials_by_${role}`, account: context.user_id, of: did },
        idOf: ({ id }: ListedRow) => id,
        bytesOf,
        rows: ({ before, limit }) => deps.store.page(party, { before, size: limit }, context),
    });
    const seen = { rows: page.length, more: next_cursor !== undefined };
    return {
        credentials: page.map(summary),
        next_cursor,
        total: await totalOf(request, seen, () => deps.store.count(party, context)),
    };
}

function requireParty({ issuer_did, subject_did }: ListRequest): Party {
    if (issuer_did !== undefined && subject_did === undefined) {
        requireIssuer(issuer_did);
        return { role: 'issuer', did: issuer_did };
    }
    if (subject_did !== undefined && issuer_did === undefined) {
        requireSubject(subject_did);
        return { role: 'subject', did: subject_did };
    }
    throw invalid('Exactly one of issuer_did and subject_did must be given.');
}

/** The account whose credentials a list is limited to; undefined if the caller sees every credential of the DID. */
async function issuedBy(
    { services, listScope }: ListDependencies,
    did: string,
    context: CallContext,
): Promise<string | undefined> {
    if (listScope === 'platform' || (context.trusted && context.user_id === undefined)) return undefined;
    const account = requireUser(context);
    const { dids } = await services.did.filterOwned({ dids: [did] }, context);
    return dids.length > 0 ? undefined : account;
}

/** DIDs are ASCII. A UTF-16 code unit takes at most 3 bytes. */
function bytesOf({ issuer, subject, credential_type }: ListedRow): number {
    return issuer.length + subject.length + 3 * credential_type.length;
}

function summary(row: ListedRow): CredentialSummary {
    const { id, issuer, subject, credential_type, issued_at, expires_at, revoked } = row;
    return {
        credential_id: credentialId(id),
        issuer,
        subject,
        credential_type,
        issued_at,
        expires_at: expires_at ?? undefined,
        revoked,
    };
}
