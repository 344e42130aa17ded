import { DID_KEY_SCHEME } from '../../tokens/did-key.ts';
import { membersOf } from '../../tokens/jws.ts';
import { keyOfDid, keyOfJwk } from '../../tokens/verification-key.ts';
import { type IssuerKids, kidFault } from '../../tokens/web-did.ts';
import { PRIMITIVES } from './primitives.ts';

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
    return kidFault(kid, document && keysIn(document, { purpose, kid }));
}

/**
 * Returns the keys that a document lists for a purpose, of those that it has as JWKs only the one that `kid` names;
 * undefined if the document is too large.
 */
function keysIn(document: DidDocument, { purpose, kid }: { purpose: Purpose; kid: string }): IssuerKids | undefined {
    const { id: did } = document;
    const methods = listOf(document.verificationMethod);
    const listed = listOf(document[purpose]);
    if (methods.length > MAX_KEYS || listed.length > MAX_KEYS) return undefined;
    const byId = new Map<string, Record<string, unknown>>();
    for (const method of methods.map(membersOf)) {
        const id = typeof method['id'] === 'string' ? absolute(method['id'], did) : undefined;
        if (id !== undefined && !byId.has(id)) byId.set(id, method);
    }
    const keys = listed.map((entry) => (typeof entry === 'string' ? byId.get(absolute(entry, did)) : membersOf(entry)));
    const kids = keys.flatMap(({ controller, publicKeyMultibase, publicKeyJwk } = {}) => {
        if (controller !== did) return [];
        if (typeof publicKeyMultibase === 'string') return publicKeyMultibase;
        return isJwkOf(kid, publicKeyJwk) ? kid : [];
    });
    return { kids, compromised_kids: [] };
}

/** True if the JWK is the key that `kid` names. */
function isJwkOf(kid: string, jwk: unknown): boolean {
    const named = keyOfDid(DID_KEY_SCHEME + kid, PRIMITIVES);
    const listed = keyOfJwk(membersOf(jwk), PRIMITIVES);
    return named?.alg === listed?.alg && named?.key.toString() === listed?.key.toString() && named !== undefined;
}

/** A document may shorten the ids of its own keys to their fragment. */
function absolute(id: string, did: string): string {
    return id.startsWith('#') ? did + id : id;
}

function listOf(value: unknown): readonly unknown[] {
    return Array.isArray(value) ? value : [];
}
