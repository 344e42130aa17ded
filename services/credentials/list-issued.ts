import { type CallContext, requireUser } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type {
    IssuedCredential,
    ListIssuedRequest,
    ListIssuedResponse,
} from '../../proto/gen/credentials/v1/credentials.ts';
import { credentialId } from '../../tokens/credential-id.ts';
import type { Cursors } from '../cursors.ts';
import { onePage } from '../paging.ts';
import type { CredentialStore, FoundRow, IssuedRow } from './rows.ts';

interface Dependencies {
    store: CredentialStore;
    cursors: Cursors;
}

/**
 * Returns one page of the credentials that an account has issued. Their order is that of the index of the account by
 * issuer: another index would cost each credential that is issued.
 */
export async function listIssued(
    { store, cursors }: Dependencies,
    request: ListIssuedRequest,
    context: CallContext,
): Promise<ListIssuedResponse> {
    const account = requireUser(context);
    const { page, next_cursor } = await onePage(request, {
        cursors,
        scope: { list: 'credentials_issued', account },
        idOf: ({ id }: IssuedRow) => id,
        // DIDs are ASCII. A UTF-16 code unit takes at most 3 bytes.
        bytesOf: ({ issuer, subject, credential_type, revocation_reason }) =>
            issuer.length + subject.length + 3 * (credential_type.length + (revocation_reason?.length ?? 0)),
        async rows({ before: last, limit }) {
            const after = last === undefined ? undefined : await ownRow(store, { id: last, account }, context);
            return store.issued({ account, after, limit }, context);
        },
    });
    return { credentials: page.map(issuedCredential), next_cursor };
}

/** The last row of the page before. The index has its issuer before its id. Throws `invalid` if it is gone. */
async function ownRow(
    store: CredentialStore,
    { id, account }: { id: string; account: string },
    context: CallContext,
): Promise<FoundRow> {
    const row = await store.find(id, context);
    if (row?.account !== account) throw invalid('cursor names a credential that is gone.');
    return row;
}

function issuedCredential({ id, expires_at, revoked_at, revocation_reason, ...row }: IssuedRow): IssuedCredential {
    return {
        credential_id: credentialId(id),
        ...row,
        expires_at: expires_at ?? undefined,
        revoked: revoked_at !== null,
        revoked_at: revoked_at ?? undefined,
        reason: revocation_reason ?? undefined,
    };
}
