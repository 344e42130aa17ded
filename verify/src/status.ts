import { type Fetch, fetchedList } from './fetched-lists.ts';
import { readStatusList, type StatusList, type StatusReference, statusAt, statusReference } from './status-list.ts';

/** `unknown`: no list could be had, or it does not say whether the credential is valid. */
export type Status = 'valid' | 'revoked' | 'unknown';

/** Where statuses come from: nowhere, from the address in the credential, or from the lists that are given. */
export type StatusSource = false | 'fetch' | readonly string[];

export interface StatusOptions {
    source: StatusSource;
    fetch: Fetch;
    /** Ends the fetching of lists. */
    signal: AbortSignal | undefined;
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
    if (reference === undefined) return { status: 'unknown' };
    const list = await listOf(reference, options);
    if (list === undefined || list.expires_at * 1_000 <= options.now) return { status: 'unknown' };
    const value = statusAt(list, reference.idx);
    const status = (value !== undefined && MEANINGS[value]) || 'unknown';
    return { status, as_of: new Date(list.issued_at * 1_000).toISOString() };
}

async function listOf(
    reference: StatusReference,
    { source, fetch, signal }: StatusOptions,
): Promise<StatusList | undefined> {
    if (source === 'fetch') return fetchedList(reference, { fetch, signal });
    for (const token of source || []) {
        const list = await readStatusList(token, reference);
        if (list) return list;
    }
    return undefined;
}
