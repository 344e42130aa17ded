import { z } from 'zod';
import { MAX_PRESENTED_CREDENTIALS } from '../../proto/limits.ts';
import { endpoint } from '../endpoint.ts';
import { base64, listOf, optional } from '../fields.ts';
import { verification } from './credentials/credentials.ts';

export const presentationEndpoints = [
    endpoint({
        id: 'presentations.create',
        summary: 'Create a presentation',
        description:
            'Bundles 1 to 100 credentials for one verifier. Each credential must have a valid signature. Expired and revoked credentials are accepted, because the verifier checks that. The example has a managed issuer as the holder. A holder that keeps its own key also sends `holder_private_key`.',
        method: 'POST',
        path: '/v1/presentations',
        access: 'bearer',
        scope: 'presentations:create',
        status: 201,
        message: 'Presentation created',
        byKey: true,
        actsOn: 'presentation_id',
        body: z.object({
            holder_did: z.string(),
            holder_private_key: optional(base64),
            credentials: listOf(z.string(), { max: MAX_PRESENTED_CREDENTIALS }),
            audience: z.string(),
            nonce: optional(z.string()),
            domain: optional(z.string()),
        }),
        answer: z.object({
            presentation_id: z.string(),
            presentation: z.string(),
            holder: z.string(),
            audience: z.string(),
            credentials_count: z.number(),
            created_at: z.string(),
        }),
        call: ({ body, services, context }) => services.presentations.create(body, context),
    }),

    endpoint({
        id: 'presentations.verify',
        summary: 'Verify a presentation',
        description:
            'A completed check is answered with 200, whatever it finds. One invalid credential makes the presentation invalid. The answer lists the results of all credentials.',
        idempotent: true,
        method: 'POST',
        path: '/v1/presentations/verify',
        access: 'bearer',
        scope: 'presentations:verify',
        status: 200,
        message: 'Presentation checked',
        countsAsVerified: true,
        body: z.object({
            presentation: z.string(),
            audience: z.string(),
            nonce: optional(z.string()),
            verify_credentials: optional(z.boolean()).transform((value) => value ?? true),
            check_revocation: optional(z.boolean()).transform((value) => value ?? false),
        }),
        answer: z.object({
            valid: z.boolean(),
            holder: z.string().optional(),
            audience: z.string().optional(),
            nonce_valid: z.boolean().optional(),
            credentials: z.array(verification).optional(),
            created_at: z.string().optional(),
            error: z.string().optional(),
            expected_audience: z.string().optional(),
            actual_audience: z.string().optional(),
        }),
        async call({ body, services, context }) {
            const { credentials, ...rest } = await services.presentations.verify(body, context);
            // If the token is not authentic, the answer shows none of its contents, not even an empty list.
            return rest.holder === undefined ? rest : { ...rest, credentials };
        },
    }),
];
