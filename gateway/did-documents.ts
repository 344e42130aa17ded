import { z } from 'zod';

const verificationMethod = z.object({
    id: z.string(),
    type: z.string(),
    controller: z.string(),
    publicKeyMultibase: z.string(),
});

/** A DID document (W3C DID Core). */
export const didDocument = z.object({
    '@context': z.array(z.string()),
    id: z.string(),
    verificationMethod: z.array(verificationMethod),
    authentication: z.array(z.string()),
    assertionMethod: z.array(z.string()),
});

/** The document of a did:key also says what else its only key may do. */
export const keyDidDocument = didDocument.extend({
    capabilityInvocation: z.array(z.string()),
    capabilityDelegation: z.array(z.string()),
});

/** Returns the document of a DID with these keys, each as in a did:key (`z6Mk…`). They sign in the name of the DID. */
export function webDocument({ did, kids }: { did: string; kids: readonly string[] }): z.infer<typeof didDocument> {
    const methods = kids.map((kid) => ({
        id: `${did}#${kid}`,
        type: 'Ed25519VerificationKey2020',
        controller: did,
        publicKeyMultibase: kid,
    }));
    const ids = methods.map(({ id }) => id);
    return {
        '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/ed25519-2020/v1'],
        id: did,
        verificationMethod: methods,
        authentication: ids,
        assertionMethod: ids,
    };
}

/** The DID document of a did:key (decision D5). It is derived from the DID alone. */
export function keyDocument(did: string): z.infer<typeof keyDidDocument> {
    const document = webDocument({ did, kids: [did.slice('did:key:'.length)] });
    const { authentication: ids } = document;
    return { ...document, capabilityInvocation: ids, capabilityDelegation: ids };
}
