import type { OperationNotes } from '../operation.ts';
import { ISSUER_DID, ISSUER_PRIVATE_KEY, ISSUER_PUBLIC_KEY } from '../samples.ts';

const multibase = ISSUER_DID.slice('did:key:'.length);
const method = `${ISSUER_DID}#${multibase}`;
const refusals = {
    not_found: 'The DID is well formed, but not recorded here. `derive=true` resolves it anyway.',
};

export const DID_CONTEXTS = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/ed25519-2020/v1'];

export const didOperations = {
    'did.create': {
        refusals: { forbidden: 'The account has reached its quota of DIDs.' },
        owasp: { objects: 'none', slowedBy: 'rate' },
        example: {
            body: {},
            data: { did: ISSUER_DID, public_key: ISSUER_PUBLIC_KEY, private_key: ISSUER_PRIVATE_KEY },
        },
    },
    'did.resolve': {
        refusals,
        owasp: { objects: 'public' },
        example: {
            params: { did: ISSUER_DID },
            query: { derive: 'true' },
            data: { did: ISSUER_DID, public_key: ISSUER_PUBLIC_KEY },
        },
    },
    'did.document': {
        refusals,
        owasp: { objects: 'public' },
        fields: {
            document: 'DID document (W3C DID Core).',
            capabilityInvocation: 'Keys that invoke capabilities.',
            capabilityDelegation: 'Keys that delegate capabilities.',
        },
        example: {
            params: { did: ISSUER_DID },
            query: { derive: 'true' },
            data: {
                document: {
                    '@context': DID_CONTEXTS,
                    id: ISSUER_DID,
                    verificationMethod: [
                        {
                            id: method,
                            type: 'Ed25519VerificationKey2020',
                            controller: ISSUER_DID,
                            publicKeyMultibase: multibase,
                        },
                    ],
                    authentication: [method],
                    assertionMethod: [method],
                    capabilityInvocation: [method],
                    capabilityDelegation: [method],
                },
            },
        },
    },
} satisfies Record<string, OperationNotes>;
