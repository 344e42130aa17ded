import { DID_KEY_SCHEME, decodeDidKey } from './did-key.ts';

/**
 * The form of the did:web identifiers of this service (https://w3c-ccg.github.io/did-method-web/): the host of its public
 * URL, the path of that URL, `issuers` and the id of the issuer. A port is written as `%3A` and its number.
 */
const WEB_DID =
    /^did:web:[A-Za-z0-9.-]+(?:%3A\d{1,5})?(?::[\w.-]+)*:issuers:[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Maximum length of an issuer's did:web, in characters. Beyond it: it is no issuer. */
const MAX_LENGTH = 512;

/** True if the text has the form of a did:web of an issuer. Whether there is such an issuer is another question. */
export function isIssuerWebDid(did: string): boolean {
    return did.length <= MAX_LENGTH && WEB_DID.test(did);
}

/** The keys of a did:web issuer. A kid is the public key as in a did:key (`z6Mk…`). */
export interface IssuerKids {
    /** Those with which its signatures are valid. */
    kids: readonly string[];
    compromised_kids: readonly string[];
}

/**
 * Returns why a signature by this key does not count as one of the did:web issuer; undefined if it does. `issuer` is
 * undefined if nothing is known about it.
 */
export function kidFault(kid: string, issuer: IssuerKids | undefined): string | undefined {
    if (issuer === undefined) return 'The keys of the issuer are not known.';
    if (issuer.kids.includes(kid)) return undefined;
    if (issuer.compromised_kids.includes(kid)) return 'The key that signed the token is compromised.';
    return 'The key that signed the token is not one of its issuer.';
}

/**
 * Reads who signed a payload: its members `iss` and `kid`, of any type. Undefined if they name no key. A did:key is its
 * key, whatever `kid` is.
 */
export function readSigner(iss: unknown, kid: unknown): { did: string; kid: string | undefined } | undefined {
    if (typeof iss !== 'string') return undefined;
    if (decodeDidKey(iss)) return { did: iss, kid: undefined };
    if (!isIssuerWebDid(iss) || typeof kid !== 'string' || !decodeDidKey(DID_KEY_SCHEME + kid)) return undefined;
    return { did: iss, kid };
}
