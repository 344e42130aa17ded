import type { OperationNotes } from '../operation.ts';
import {
    CREDENTIAL,
    HOLDER_DID,
    HOLDER_PRIVATE_KEY,
    NONCE,
    PRESENTATION,
    PRESENTATION_ID,
    VERIFIER_DID,
} from '../samples.ts';
import { verified } from './credentials.ts';

const createdAt = '2026-11-20T21:07:22.980Z';

export const presentationOperations = {
    'presentations.create': {
        summary: 'Create a presentation',
        description:
            'Bundles 1 to 100 credentials for one verifier. Each credential must have a valid signature. Expired and revoked credentials are accepted, because the verifier checks that.',
        example: {
            body: {
                holder_did: HOLDER_DID,
                holder_private_key: HOLDER_PRIVATE_KEY,
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
        summary: 'Verify a presentation',
        idempotent: true,
        description:
            'A completed check is answered with 200, whatever it finds. One invalid credential makes the presentation invalid. The answer lists the results of all credentials.',
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
