import { type CallContext, requireUser } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { CredentialSummary, ListRequest, ListResponse } from '../../proto/gen/credentials/v1/credentials.ts';
import { credentialId } from '../../tokens/credential-id.ts';
import type { Cursors, ListScope } from '../cursors.ts';
import { requireLimit, totalOf } from '../paging.ts';
import { foreignView } from './foreign-view.ts';
import type { ListedRow, Party } from './rows.ts';
import { requireIssuer, requireSubject } from './rules.ts';
import type { Found, ListDependencies, View } from './view.ts';

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
    const party = requireParty(request);
    requireLimit(limit);
    const scope = { list: `credentials_by_${party.role}`, account: context.user_id, of: party.did } as const;
    const before = cursor === undefined ? undefined : deps.cursors.open(cursor, scope);

    const view = await viewOf(deps, party, context);
    const found = await view.page({ before, size: limit + 1 }, context);
    const page = pageOf(found, limit);
    const seen = { rows: page.rows.length, more: page.end !== undefined };
    return {
        credentials: page.rows.map(summary),
        next_cursor: nextCursor(deps.cursors, scope, page.end),
        total: await totalOf({ cursor, with_total }, seen, () => view.count(context)),
    };
}

function nextCursor(cursors: Cursors, scope: ListScope, end: string | undefined): string | undefined {
    return end === undefined ? undefined : cursors.seal(end, scope);
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

async function viewOf(deps: ListDependencies, party: Party, context: CallContext): Promise<View> {
    const { store, services, listScope } = deps;
    const whole: View = {
        page: async (range, at) => ({ rows: await store.page(party, range, at) }),
        count: (at) => store.count(party, at),
    };
    if (listScope === 'platform' || (context.trusted && context.user_id === undefined)) return whole;
    const account = requireUser(context);
    const { dids } = await services.did.filterOwned({ dids: [party.did] }, context);
    return dids.length > 0 ? whole : foreignView(deps, { party, account });
}

/** Returns the rows of one page, and the id below which the next page begins; undefined if there is no next page. */
function pageOf({ rows, stoppedAt }: Found, limit: number): { rows: readonly ListedRow[]; end: string | undefined } {
    const taken = rows.slice(0, Math.min(limit, rowsThatFit(rows)));
    return { rows: taken, end: taken.length < rows.length ? taken.at(-1)?.id : stoppedAt };
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
