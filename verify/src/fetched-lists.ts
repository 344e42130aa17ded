import { boundedBytes } from './bounded-bytes.ts';
import { decodeUtf8 } from './primitives.ts';
import { MAX_LIST_BYTES, readStatusList, type StatusList, type StatusReference } from './status-list.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Maximum number of lists that are kept. Beyond it, the list that was fetched first is dropped. */
const MAX_LISTS = 64;

interface Entry {
    list: Promise<StatusList | undefined>;
    /** Until when the list is kept, in milliseconds since 1970. */
    untilMs: number;
}

/** Lists by signer and address. A list is here while it is fetched, and then for its `ttl`. */
const entries = new Map<string, Entry>();

interface FetchOptions {
    fetch: Fetch;
    signal: AbortSignal | undefined;
}

/**
 * Returns the list that a credential names: a kept one, or the one that its address has now. Undefined if the address
 * is not https, redirects, fails or has no such list. Concurrent calls share one request.
 */
export function fetchedList(reference: StatusReference, options: FetchOptions): Promise<StatusList | undefined> {
    const name = `${reference.iss} ${reference.uri}`;
    const kept = entries.get(name);
    if (kept && kept.untilMs > Date.now()) return kept.list;
    entries.delete(name);
    for (const oldest of entries.keys()) {
        if (entries.size < MAX_LISTS) break;
        entries.delete(oldest);
    }
    const entry: Entry = { list: fetchList(reference, options), untilMs: Number.POSITIVE_INFINITY };
    entries.set(name, entry);
    return keepForTtl(name, entry);
}

async function keepForTtl(name: string, entry: Entry): Promise<StatusList | undefined> {
    const list = await entry.list;
    entry.untilMs = list === undefined ? 0 : Math.min(Date.now() + list.ttl * 1_000, list.expires_at * 1_000);
    if (entry.untilMs <= Date.now() && entries.get(name) === entry) entries.delete(name);
    return list;
}

async function fetchList(
    { uri, iss }: StatusReference,
    { fetch, signal }: FetchOptions,
): Promise<StatusList | undefined> {
    if (!/^https:/i.test(uri)) return undefined;
    const bytes = await bodyOf(uri, { fetch, signal });
    const token = bytes && decodeUtf8(bytes);
    return token === undefined ? undefined : readStatusList(token.trim(), { uri, iss });
}

/** Returns the body at an address. It sends nothing that identifies the caller, and follows no redirect. */
async function bodyOf(uri: string, { fetch, signal }: FetchOptions): Promise<Uint8Array | undefined> {
    try {
        const response = await fetch(uri, {
            headers: { Accept: 'application/statuslist+jwt' },
            redirect: 'error',
            credentials: 'omit',
            referrerPolicy: 'no-referrer',
            signal: signal ?? null,
        });
        return response.ok && response.body ? await boundedBytes(response.body, MAX_LIST_BYTES) : undefined;
    } catch {
        return undefined; // fetch rejects if no answer comes, for any reason
    }
}
