import { type CallContext, requireTime, requireUser, timeoutOfNextHop } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { CredentialSummary, ListRequest, ListResponse } from '../../proto/gen/credentials/v1/credentials.ts';
import type { DidServiceDefinition } from '../../proto/gen/did/v1/did.ts';
import { credentialId } from '../credential-id.ts';
import { requireLimit, totalOf } from '../paging.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { requireIssuer, requireSubject } from './rules.ts';
import type { CredentialStore, ListedRow, Party } from './store.ts';

/** owner: what concerns the caller's account; platform: everything. */
export type ListScope = 'owner' | 'platform';

interface ListDependencies {
    store: CredentialStore;
    peers: { did: ServiceOf<typeof DidServiceDefinition> };
    list_scope: ListScope;
}

/** An answer stays below 2 MiB on its way to the gateway. */
const MAX_PAGE_BYTES = 1_500_000;
/** Rows read at a time where not all may be shown; even the longest DIDs of so many fit into one call. */
const SIFTED_ROWS = 1_000;
/** After this long a page ends with what was found, in milliseconds. */
const SEARCH_MS = 1_000;

/**
 * One page of a party's credentials, newest first.
 *
 * Where the party is not the caller's own, its rows are read in order and sifted. Then a page may come short, even empty, with
 * a cursor to go on from: a stranger's way through an issuer of a million credentials is many calls of a second each, none
 * of which holds up others. `total` knows no such way out: it is counted through before the call's deadline, or the call
 * fails with `deadline`.
 */
export async function listCredentials(
    deps: ListDependencies,
    request: ListRequest,
    context: CallContext,
): Promise<ListResponse> {
    const { limit, cursor, with_total } = request;
    const party = requireParty(request);
    requireLimit(limit);
    const before = cursor === undefined ? undefined : decodeCursor(cursor);

    const sees_all = await seesAll(deps, party, context);
    const chunks = (from: string | undefined) =>
        sees_all
            ? readChunks(deps.store, { party, from, size: limit + 1, context })
            : readChunks(deps.store, { party, from, size: SIFTED_ROWS, context, sift: siftFor(deps, party, context) });
    requireTime(context);
    const page = await takePage(chunks(before), { limit, search_ms: timeoutOfNextHop(context) / 2 });
    const seen = { rows: page.credentials.length, more: page.next_cursor !== undefined };
    const total = await totalOf({ cursor, with_total }, seen, () =>
        sees_all ? deps.store.count(party, context) : countRows(chunks(undefined), context),
    );
    return { ...page, total };
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

async function seesAll(
    { list_scope, peers }: ListDependencies,
    { did }: Party,
    context: CallContext,
): Promise<boolean> {
    if (list_scope === 'platform' || (context.trusted && context.user_id === undefined)) return true;
    requireUser(context);
    const { dids } = await peers.did.filterOwned({ dids: [did] }, context);
    return dids.length > 0;
}

type Sift = (rows: readonly ListedRow[]) => Promise<readonly ListedRow[]>;

/** Of a party that is not the caller's: what the caller issued, and what has a DID of its own on the other side. */
function siftFor({ peers }: ListDependencies, { role }: Party, context: CallContext): Sift {
    const account = requireUser(context);
    const other = role === 'issuer' ? 'subject' : 'issuer';
    return async (rows) => {
        const unknown = new Set(rows.filter((row) => row.account !== account).map((row) => row[other]));
        if (unknown.size === 0) return rows;
        const { dids } = await peers.did.filterOwned({ dids: [...unknown] }, context);
        const owned = new Set(dids);
        return rows.filter((row) => row.account === account || owned.has(row[other]));
    };
}

interface Chunk {
    rows: readonly ListedRow[];
    /** The id below which the next chunk begins; absent after the last one. */
    next: string | undefined;
}

async function* readChunks(
    store: CredentialStore,
    options: { party: Party; from: string | undefined; size: number; context: CallContext; sift?: Sift },
): AsyncGenerator<Chunk> {
    const { party, from, size, context, sift } = options;
    let before = from;
    do {
        const rows = await store.page(party, { before, size }, context);
        before = rows.length < size ? undefined : rows.at(-1)?.id;
        yield { rows: sift ? await sift(rows) : rows, next: before };
    } while (before !== undefined);
}

async function takePage(
    chunks: AsyncGenerator<Chunk>,
    { limit, search_ms }: { limit: number; search_ms: number },
): Promise<ListResponse> {
    const search_end = performance.now() + Math.min(search_ms, SEARCH_MS);
    const found: ListedRow[] = [];
    let next: string | undefined;
    for await (const chunk of chunks) {
        found.push(...chunk.rows);
        next = chunk.next;
        if (found.length >= limit || performance.now() > search_end) break;
    }
    const taken = found.slice(0, Math.min(limit, rowsThatFit(found)));
    if (taken.length < found.length) next = taken.at(-1)?.id;
    return { credentials: taken.map(summary), next_cursor: next === undefined ? undefined : encodeCursor(next) };
}

function rowsThatFit(rows: readonly ListedRow[]): number {
    let bytes = 0;
    const first_too_many = rows.findIndex((row) => {
        // DIDs are ASCII; a UTF-16 unit takes at most 3 bytes; ids, times and field headers take less than 200.
        bytes += row.issuer.length + row.subject.length + 3 * row.credential_type.length + 200;
        return bytes > MAX_PAGE_BYTES;
    });
    return first_too_many === -1 ? rows.length : first_too_many;
}

async function countRows(chunks: AsyncGenerator<Chunk>, context: CallContext): Promise<number> {
    let total = 0;
    for await (const { rows } of chunks) {
        requireTime(context);
        total += rows.length;
    }
    return total;
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
