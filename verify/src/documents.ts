import { type IssuerKids, kidFault } from '../../tokens/web-did.ts';

/** A DID document (W3C DID Core), as the resolver of a did:web returns it. Only these members are read. */
export interface DidDocument {
    id: string;
    verificationMethod?: readonly unknown[];
    /** The keys that sign credentials: methods, or their ids. */
    assertionMethod?: readonly unknown[];
    /** The keys that sign presentations. */
    authentication?: readonly unknown[];
}

/** What a signature is for. A DID document lists the keys for each purpose. */
export type Purpose = 'assertionMethod' | 'authentication';

/** Maximum number of methods in a document, and of keys for one purpose. A larger document is not read. */
const MAX_KEYS = 1_000;

/**
 * Returns why the signature of an opened token does not count; undefined if it does. A token of a did:key has no `kid`,
 * and opening it was enough.
 */
export function signerFault(
    { did, kid }: { did: string; kid: string | undefined },
    { documents, purpose }: { documents: readonly DidDocument[]; purpose: Purpose },
): string | undefined {
    if (kid === undefined) return undefined;
    const document = documents.find(({ id }) => id === did);
    return kidFault(kid, document && keysIn(document, purpose));
}

/** Returns the Ed25519 keys that a document lists for a purpose; undefined if the document is too large. */
function keysIn(document: DidDocument, purpose: Purpose): IssuerKids | undefined {
    const { id: did } = document;
    const methods = listOf(document.verificationMethod);
    const listed = listOf(document[purpose]);
    if (methods.length > MAX_KEYS || listed.length > MAX_KEYS) return undefined;
    const byId = new Map<string, Record<string, unknown>>();
    for (const method of methods.map(objectOf)) {
        const id = typeof method['id'] === 'string' ? absolute(method['id'], did) : undefined;
        if (id !== undefined && !byId.has(id)) byId.set(id, method);
    }
    const keys = listed.map((entry) => (typeof entry === 'string' ? byId.get(absolute(entry, did)) : objectOf(entry)));
    const kids = keys.flatMap(({ controller, publicKeyMultibase: kid } = {}) =>
        controller === did && typeof kid === 'string' ? kid : [],
    );
    return { kids, compromised_kids: [] };
}

/** A document may shorten the ids of its own keys to their fragment. */
function absolute(id: string, did: string): string {
    return id.startsWith('#') ? did + id : id;
}

function listOf(value: unknown): readonly unknown[] {
    return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Record<string, unknown> {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}; // string keys only
}
