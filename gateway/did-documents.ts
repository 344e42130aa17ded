import { z } from 'zod';
import { encodeBase64Url } from '../platform/base64.ts';
import type { PublicIssuer, PublicKey } from '../proto/gen/signing/v1/signing.ts';

/** A public key as RFC 7517 has it, without a name. */
const jwk = z.object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string() });

const method = z.object({ id: z.string(), type: z.string(), controller: z.string() });
const multibaseMethod = method.extend({ publicKeyMultibase: z.string() });

/** A DID document (W3C DID Core). */
const document = z.object({
    '@context': z.array(z.string()),
    id: z.string(),
    authentication: z.array(z.string()),
    assertionMethod: z.array(z.string()),
});

/** The document of a did:web. Keys of Ed25519 are in multibase, those of P-256 are JWKs. */
export const didDocument = document.extend({
    verificationMethod: z.array(
        method.extend({ publicKeyMultibase: z.string().optional(), publicKeyJwk: jwk.optional() }),
    ),
});

/** The document of a did:key also says what else its only key may do. */
export const keyDidDocument = document.extend({
    verificationMethod: z.array(multibaseMethod),
    capabilityInvocation: z.array(z.string()),
    capabilityDelegation: z.array(z.string()),
});

const DID_CONTEXT = 'https://www.w3.org/ns/did/v1';
const ED25519_CONTEXT = 'https://w3id.org/security/suites/ed25519-2020/v1';
const JWK_CONTEXT = 'https://w3id.org/security/suites/jws-2020/v1';

/** Returns the document of a did:web with these keys. They sign in the name of the DID. */
export function webDocument({ did, keys }: PublicIssuer): z.infer<typeof didDocument> {
    const methods = keys.map((key) => (key.alg === 'ES256' ? jwkMethod(did, key) : ed25519Method(did, key.kid)));
    const hasJwk = keys.some(({ alg }) => alg === 'ES256');
    return {
        '@context': [DID_CONTEXT, ED25519_CONTEXT, ...(hasJwk ? [JWK_CONTEXT] : [])],
        id: did,
        verificationMethod: methods,
        ...uses(methods),
    };
}

/** The DID document of a did:key (decision D5). It is derived from the DID alone. */
export function keyDocument(did: string): z.infer<typeof keyDidDocument> {
    const methods = [ed25519Method(did, did.slice('did:key:'.length))];
    const { authentication: ids } = uses(methods);
    return {
        '@context': [DID_CONTEXT, ED25519_CONTEXT],
        id: did,
        verificationMethod: methods,
        ...uses(methods),
        capabilityInvocation: ids,
        capabilityDelegation: ids,
    };
}

/** The key is written as in a did:key (`z6Mk…`). */
function ed25519Method(did: string, kid: string): z.infer<typeof multibaseMethod> {
    return { id: `${did}#${kid}`, type: 'Ed25519VerificationKey2020', controller: did, publicKeyMultibase: kid };
}

function jwkMethod(did: string, key: PublicKey) {
    return { id: `${did}#${key.kid}`, type: 'JsonWebKey2020', controller: did, publicKeyJwk: jwkOf(key) };
}

function uses(methods: ReadonlyArray<{ id: string }>) {
    const ids = methods.map(({ id }) => id);
    return { authentication: ids, assertionMethod: ids };
}

/** Writes a P-256 key as a JWK. */
function jwkOf({ x, y }: PublicKey): z.infer<typeof jwk> {
    return { kty: 'EC', crv: 'P-256', x: encodeBase64Url(x), y: encodeBase64Url(y as Uint8Array) }; // EdDSA alone has no y
}
