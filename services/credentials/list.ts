import { type CallContext, requireUser } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { CredentialSummary, ListRequest, ListResponse } from '../../proto/gen/credentials/v1/credentials.ts';
import type { DidServiceDefinition } from '../../proto/gen/did/v1/did.ts';
import { credentialId } from '../../tokens/credential-id.ts';
import type { Cursors } from '../cursors.ts';
import { requireLimit, totalOf } from '../paging.ts';
import type { CredentialStore, ListedRow, Party } from './rows.ts';
import { requireIssuer, requireSubject } from './rules.ts';

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

/**
 * Estimated size at which a page ends, in bytes. It keeps an answer to the gateway below 2 MiB. Beyond it: the page has
 * a cursor.
 */
const MAX_PAGE_BYTES = 1_500_000;

/** Returns one page of a party's credentials, newest first. */
export async function listCredentials(
    deps: ListDependencies,
    request: ListRequest,
    context: CallContext,
): Promise<ListResponse> {
    const { limit, cursor, with_total } = request;
    const { role, did } = requireParty(request);
    requireLimit(limit);
    const scope = { list: `credentials_by_${role}`, account: context.user_id, of: did } as const;
    const before = cursor === undefined ? undefined : deps.cursors.open(cursor, scope);

    const party = { role, did, issued_by: await issuedBy(deps, did, context) };
    const rows = await deps.store.page(party, { before, size: limit + 1 }, context);
    const page = rows.slice(0, Math.min(limit, rowsThatFit(rows)));
    const last = page.length < rows.length ? page.at(-1) : undefined;
    const seen = { rows: page.length, more: last !== undefined };
    return {
        credentials: page.map(summary),
        next_cursor: last && deps.cursors.seal(last.id, scope),
        total: await totalOf({ cursor, with_total }, seen, () => deps.store.count(party, context)),
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

function rowsThatFit(rows: readonly ListedRow[]): number {
    let bytes = 0;
    const firstTooMany = rows.findIndex((row) => {
        // DIDs are ASCII. A UTF-16 code unit takes at most 3 bytes. Ids, times and field headers take less than 200
        // bytes.
        bytes += row.issuer.length + row.subject.length + 3 * row.credential_type.length + 200;
        return bytes > MAX_PAGE_BYTES;
    });
    return firstTooMany === -1 ? rows.length : firstTooMany;
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
