import { readStatusList, type StatusList, type StatusReference, statusAt, statusReference } from './status-list.ts';

/** `unknown`: no list could be had, or it does not say whether the credential is valid. */
export type Status = 'valid' | 'revoked' | 'unknown';

/** Returns the list that a credential names, from its address. */
export type FetchList = (reference: StatusReference) => Promise<StatusList | undefined>;

export interface StatusOptions {
    /** Where statuses come from: nowhere, from the addresses in the credentials, or from the lists that are given. */
    source: false | FetchList | readonly string[];
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

/**
 * Returns the status of a credential. It is absent if nobody asks, and if the payload has no member `status` (undefined
 * here). A `status` that is no object is null here, and unknown.
 */
export async function statusOf(text: string | null | undefined, options: StatusOptions): Promise<StatusAnswer> {
    if (options.source === false || text === undefined) return {};
    const reference = text === null ? undefined : statusReference(text);
    const list = reference && (await listOf(reference, options));
    if (reference === undefined || list === undefined) return { status: 'unknown' };
    const value = statusAt(list, reference.idx);
    const status = (value !== undefined && MEANINGS[value]) || 'unknown';
    return { status, as_of: new Date(list.issued_at * 1_000).toISOString() };
}

/** Returns the list that counts: of those that have not expired, the one that was issued last. */
async function listOf(reference: StatusReference, { source, now }: StatusOptions): Promise<StatusList | undefined> {
    let newest: StatusList | undefined;
    const candidates = typeof source === 'function' ? [source(reference)] : read(source || [], reference);
    for await (const list of candidates) {
        if (list === undefined || list.expires_at * 1_000 <= now) continue;
        if (newest === undefined || list.issued_at > newest.issued_at) newest = list;
    }
    return newest;
}

/** Reads the lists one after the other, so that few of them are in memory at a time. */
function* read(tokens: readonly string[], reference: StatusReference) {
    for (const token of tokens) yield readStatusList(token, reference);
}
