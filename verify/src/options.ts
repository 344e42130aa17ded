import type { Fetch } from './fetched-lists.ts';
import type { StatusOptions } from './status.ts';

/**
 * A status list token, as its issuer publishes it. Several are needed for a presentation whose credentials are on
 * several lists.
 */
export type StatusListToken = string;

export interface CommonOptions {
    /** The time of the verification, in milliseconds since 1970. Default: now. */
    now?: number | undefined;
    /**
     * Where the status of a credential that names a status list comes from. `fetch` requests the list from the address
     * in the credential, and a token is a list that you have. With `false`, nobody looks whether the credential has
     * been revoked. By default there is no list, so such a credential is not valid.
     */
    status?: false | 'fetch' | StatusListToken | readonly StatusListToken[] | undefined;
    /** Replaces the global `fetch` for status lists. It must stop when its signal is aborted. */
    fetch?: Fetch | undefined;
}

/** Time that all requests of one call may take together, in milliseconds. */
const FETCH_TIMEOUT_MS = 10_000;

/** Completes the options. Throws TypeError if one of them has a value that its type does not allow. */
export function completed({ now = Date.now(), status = [], fetch = globalThis.fetch }: CommonOptions): StatusOptions {
    if (!Number.isFinite(now)) throw new TypeError('now must be a time in milliseconds since 1970.');
    if (typeof fetch !== 'function') throw new TypeError('fetch must be a function.');
    if (status === false || status === 'fetch') {
        return { source: status, fetch, now, signal: status ? AbortSignal.timeout(FETCH_TIMEOUT_MS) : undefined };
    }
    const tokens = [status].flat();
    if (tokens.some((token) => typeof token !== 'string')) {
        throw new TypeError('status must be false, "fetch", a status list token or a list of them.');
    }
    return { source: tokens, fetch, now, signal: undefined };
}
