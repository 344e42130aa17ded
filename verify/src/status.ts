import type { StatusReference } from '../../tokens/status-reference.ts';
import { type DidDocument, signerFault } from './documents.ts';
import { type ListReference, readStatusList, type StatusList, statusAt } from './status-list.ts';

/** `unknown`: no list could be had, or it does not say whether the credential is valid. */
export type Status = 'valid' | 'revoked' | 'unknown';

/** Returns the list that a credential names, from its address. */
export type FetchList = (reference: ListReference) => Promise<StatusList | undefined>;

export interface StatusOptions {
    /** Where statuses come from: nowhere, from the addresses in the credentials, or from the lists that are given. */
    source: false | FetchList | readonly string[];
    /** The documents of the did:web issuers that sign lists themselves. */
    documents: readonly DidDocument[];
    /** Milliseconds since 1970. */
    now: number;
}

export interface StatusAnswer {
    status?: Status;
    /** When the list was issued that says so. */
    as_of?: string;
}

/** The statuses that the draft defines for all lists, by their value. */
const MEANINGS: readonly Status[] = ['valid', 'revoked'];

/** The place of a credential on a list. */
export interface StatusPlace {
    /** Absent if the payload has no member `status`. A `status` that names no list is null, and unknown. */
    reference: StatusReference | null | undefined;
    /** The issuer of the credential, who signs the list unless the reference says otherwise. */
    issuer: string;
}

/** Returns the status of a credential. It is absent if nobody asks, and if the credential names none. */
export async function statusOf({ reference, issuer }: StatusPlace, options: StatusOptions): Promise<StatusAnswer> {
    if (options.source === false || reference === undefined) return {};
    if (reference === null) return { status: 'unknown' };
    const { idx, uri, iss = issuer } = reference;
    const list = await listOf({ uri, iss, byKid: reference.iss === undefined }, options);
    if (list === undefined) return { status: 'unknown' };
    const value = statusAt(list, idx);
    const status = (value !== undefined && MEANINGS[value]) || 'unknown';
    return { status, as_of: new Date(list.issued_at * 1_000).toISOString() };
}

/** Returns the list that counts: of those that have not expired, the one that was issued last. */
async function listOf(reference: ListReference, options: StatusOptions): Promise<StatusList | undefined> {
    const { source, now, documents } = options;
    let newest: StatusList | undefined;
    const candidates = typeof source === 'function' ? [source(reference)] : read(source || [], reference);
    for await (const list of candidates) {
        if (list === undefined || list.expires_at * 1_000 <= now) continue;
        const signer = { did: reference.iss, kid: list.kid };
        if (signerFault(signer, { documents, purpose: 'assertionMethod' }) !== undefined) continue;
        if (newest === undefined || list.issued_at > newest.issued_at) newest = list;
    }
    return newest;
}

/** Reads the lists one after the other, so that few of them are in memory at a time. */
function* read(tokens: readonly string[], reference: ListReference) {
    for (const token of tokens) yield readStatusList(token, reference);
}
