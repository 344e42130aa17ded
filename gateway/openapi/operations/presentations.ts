import type { OperationNotes } from '../operation.ts';
import { CREDENTIAL, HOLDER_DID, NONCE, PRESENTATION, PRESENTATION_ID, VERIFIER_DID } from '../samples.ts';
import { verified } from './credentials.ts';

const createdAt = '2026-11-20T21:07:22.980Z';

export const presentationOperations = {
    'presentations.create': {
        refusals: { forbidden: 'The account has reached its quota of presentations.' },
        owasp: { objects: 'none', slowedBy: 'rate' },
        fields: {
            holder_did: 'DID of the holder: a did:key, or a did:web of this service.',
            holder_private_key:
                "The holder's Ed25519 private key in base64: 32 bytes (seed) or 64. Left out for a managed issuer of the account.",
            domain: 'Domain that the presentation is bound to.',
        },
        example: {
            body: {
                holder_did: HOLDER_DID,
                credentials: [CREDENTIAL],
                audience: VERIFIER_DID,
                nonce: NONCE,
                domain: 'shop.example',
            },
            data: {
                presentation_id: PRESENTATION_ID,
                presentation: PRESENTATION,
                holder: HOLDER_DID,
                audience: VERIFIER_DID,
                credentials_count: 1,
                created_at: createdAt,
            },
        },
    },
    'presentations.verify': {
        owasp: { objects: 'none' },
        fields: {
            credentials: 'Results of checking the credentials.',
            expected_audience: 'The audience that the request named.',
            actual_audience: 'The audience that the presentation names.',
            nonce_valid: 'Whether the nonce matches. Absent if the request has no nonce.',
            verify_credentials: 'Whether to check the credentials in the presentation too. Default: true.',
        },
        example: {
            body: { presentation: PRESENTATION, audience: VERIFIER_DID, nonce: NONCE, check_revocation: true },
            data: {
                valid: true,
                holder: HOLDER_DID,
                audience: VERIFIER_DID,
                nonce_valid: true,
                credentials: [verified],
                created_at: createdAt,
            },
        },
    },
} satisfies Record<string, OperationNotes>;
