import type { DidDocument } from './documents.ts';
import { type Fetch, listFetcher } from './fetched-lists.ts';
import { publicFetch } from './public-fetch.ts';
import type { StatusOptions } from './status.ts';

/**
 * A status list token, as its issuer publishes it. Several are needed for a presentation whose credentials are on
 * several lists.
 */
export type StatusListToken = string;

export interface CommonOptions {
    /**
     * The DIDs of the issuers that you trust. A credential of another issuer is not valid, and its status list is not
     * fetched. Without this option any issuer will do: look at `issuer` in the results then.
     */
    issuers?: readonly string[] | undefined;
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
    /**
     * Replaces the `fetch` for status lists. It must stop when its signal is aborted. In Node, the default connects
     * only to public addresses; `globalThis.fetch` connects to all.
     */
    fetch?: Fetch | undefined;
}

/** The options of one call, complete. */
export interface CompletedOptions extends StatusOptions {
    issuers: readonly string[] | undefined;
}

/** Completes the options. Throws TypeError if one of them has a value that its type does not allow. */
export function completed(options: CommonOptions): CompletedOptions {
    const { now = Date.now(), status = [], documents = [], issuers, fetch } = options;
    if (!Number.isFinite(now)) throw new TypeError('now must be a time in milliseconds since 1970.');
    if (fetch !== undefined && typeof fetch !== 'function') throw new TypeError('fetch must be a function.');
    if (!Array.isArray(documents) || documents.some((document) => typeof document !== 'object' || document === null)) {
        throw new TypeError('documents must be a list of DID documents.');
    }
    if (issuers !== undefined && !isTexts(issuers)) throw new TypeError('issuers must be a list of DIDs.');
    const common = { now, documents, issuers };
    if (status === false) return { ...common, source: false };
    if (status === 'fetch') return { ...common, source: listFetcher(fetch ?? publicFetch()) };
    const tokens = [status].flat();
    if (isTexts(tokens)) return { ...common, source: tokens };
    throw new TypeError('status must be false, "fetch", a status list token or a list of them.');
}

function isTexts(value: unknown): value is readonly string[] {
    return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
