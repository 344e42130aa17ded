import { boundedBytes } from './bounded-bytes.ts';
import { decodeUtf8 } from './primitives.ts';
import type { FetchList } from './status.ts';
import { type ListReference, MAX_LIST_BYTES, readStatusList, type StatusList } from './status-list.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Time that all requests of one call may take together, in milliseconds. */
const FETCH_TIMEOUT_MS = 10_000;
/** Maximum number of requests of one call. Whoever makes a presentation chooses the addresses. */
const MAX_REQUESTS = 8;

/** Maximum number of lists that are kept, and of their bytes. Beyond it, the list that was fetched first is dropped. */
const MAX_LISTS = 64;
const MAX_KEPT_BYTES = 32 << 20;
/** Longest time for which a list is kept, whatever its `ttl` is, in milliseconds. */
const MAX_KEPT_MS = 86_400_000;

interface Entry {
    list: Promise<StatusList | undefined>;
    /** Ends the request: the time of the call that has made it is up. */
    signal: AbortSignal;
    /** Until when the list is kept, in milliseconds since 1970. */
    untilMs: number;
    /** Size of the list. It is 0 while the list is fetched. */
    bytes: number;
}

/** Lists by signer and address. A list is here while it is fetched, and then for its `ttl`. */
const entries = new Map<string, Entry>();

/**
 * Returns a function for one call. It returns the list that a credential names: a kept one, or the one that its address
 * has now. Undefined if the address is not https, redirects, fails or has no such list, and after MAX_REQUESTS.
 * Concurrent calls share a request, until the time of the call that has made it is up.
 */
export function listFetcher(fetch: Fetch): FetchList {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    let requests = 0;
    return async (reference) => {
        const name = `${reference.byKid} ${reference.iss} ${reference.uri}`;
        for (let kept = entries.get(name); kept && kept.untilMs > Date.now(); kept = entries.get(name)) {
            const shared = await kept.list;
            if (shared || !kept.signal.aborted || signal.aborted) return shared;
        }
        entries.delete(name);
        if (!/^https:/i.test(reference.uri) || ++requests > MAX_REQUESTS) return undefined;
        const list = fetchList(reference, (url, init) => fetch(url, { ...init, signal }));
        const entry: Entry = { list, signal, untilMs: Number.POSITIVE_INFINITY, bytes: 0 };
        entries.set(name, entry);
        dropOldest();
        return keepForTtl(name, entry);
    };
}

async function keepForTtl(name: string, entry: Entry): Promise<StatusList | undefined> {
    const list = await entry.list;
    const now = Date.now();
    entry.untilMs = list ? Math.min(now + Math.min(list.ttl * 1_000, MAX_KEPT_MS), list.expires_at * 1_000) : 0;
    entry.bytes = list?.statuses.length ?? 0;
    if (entry.untilMs <= now && entries.get(name) === entry) entries.delete(name);
    dropOldest();
    return list;
}

function dropOldest(): void {
    let bytes = 0;
    for (const entry of entries.values()) bytes += entry.bytes;
    for (const [name, oldest] of entries) {
        if (entries.size <= MAX_LISTS && bytes <= MAX_KEPT_BYTES) break;
        entries.delete(name);
        bytes -= oldest.bytes;
    }
}

async function fetchList(reference: ListReference, fetch: Fetch): Promise<StatusList | undefined> {
    const bytes = await bodyOf(reference.uri, fetch);
    const token = bytes && decodeUtf8(bytes);
    return token === undefined ? undefined : readStatusList(token.trim(), reference);
}

/** Returns the body at an address. It sends nothing that identifies the caller, and follows no redirect. */
async function bodyOf(uri: string, fetch: Fetch): Promise<Uint8Array | undefined> {
    try {
        const response = await fetch(uri, {
            headers: { Accept: 'application/statuslist+jwt' },
            redirect: 'error',
            credentials: 'omit',
            referrerPolicy: 'no-referrer',
        });
        return response.ok && response.body ? await boundedBytes(response.body, MAX_LIST_BYTES) : undefined;
    } catch {
        return undefined; // fetch rejects if no answer comes, for any reason
    }
}
