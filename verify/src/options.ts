import type { DidDocument } from './documents.ts';
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
    /**
     * The DID documents of the did:web issuers and holders that you trust, as you have resolved them. Without the
     * document of its issuer, a token of a did:web is not valid.
     */
    documents?: readonly DidDocument[] | undefined;
    /** Replaces the global `fetch` for status lists. It must stop when its signal is aborted. */
    fetch?: Fetch | undefined;
}

/** The options of one call, complete. */
export interface CompletedOptions extends StatusOptions {
    documents: readonly DidDocument[];
}

/** Time that all requests of one call may take together, in milliseconds. */
const FETCH_TIMEOUT_MS = 10_000;

/** Completes the options. Throws TypeError if one of them has a value that its type does not allow. */
export function completed(options: CommonOptions): CompletedOptions {
    const { now = Date.now(), status = [], documents = [], fetch = globalThis.fetch } = options;
    if (!Number.isFinite(now)) throw new TypeError('now must be a time in milliseconds since 1970.');
    if (typeof fetch !== 'function') throw new TypeError('fetch must be a function.');
    if (!Array.isArray(documents) || documents.some((document) => typeof document !== 'object' || document === null)) {
        throw new TypeError('documents must be a list of DID documents.');
    }
    if (status === false || status === 'fetch') {
        return {
            source: status,
            documents,
            fetch,
            now,
            signal: status ? AbortSignal.timeout(FETCH_TIMEOUT_MS) : undefined,
        };
    }
    const tokens = [status].flat();
    if (tokens.some((token) => typeof token !== 'string')) {
        throw new TypeError('status must be false, "fetch", a status list token or a list of them.');
    }
    return { source: tokens, documents, fetch, now, signal: undefined };
}
