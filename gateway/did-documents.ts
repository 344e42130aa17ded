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
    capabilityInvocation: z.array(z.string()).optional(),
    capabilityDelegation: z.array(z.string()).optional(),
});

type DidDocument = z.infer<typeof didDocument>;

/** Returns the document of a DID with these keys, each as in a did:key (`z6Mk…`). They sign in the name of the DID. */
export function webDocument({ did, kids }: { did: string; kids: readonly string[] }): DidDocument {
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
export function keyDocument(did: string): DidDocument {
    const document = webDocument({ did, kids: [did.slice('did:key:'.length)] });
    const { authentication: ids } = document;
    return { ...document, capabilityInvocation: ids, capabilityDelegation: ids };
}
