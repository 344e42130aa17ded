import { z } from 'zod';
import { shownBytes } from '../answer-fields.ts';
import { keyDidDocument, keyDocument } from '../did-documents.ts';
import { endpoint } from '../endpoint.ts';
import { base64, optional } from '../fields.ts';

const byDid = z.object({ did: z.string() });
/** `?derive=true` also resolves a DID that was never recorded, because a did:key contains its key (decision D1). */
const derivation = z.object({
    derive: z
        .enum(['true', 'false'], { error: 'must be true or false' })
        .optional()
        .transform((text) => text === 'true'),
});

export const didEndpoints = [
    endpoint({
        id: 'did.create',
        summary: 'Create a DID',
        description:
            'Without `public_key` the service creates a key pair. Only this answer contains the private key, because the service does not store it. With `public_key` every call returns the same DID.',
        method: 'POST',
        path: '/v1/did',
        access: 'bearer',
        scope: 'dids:create',
        status: 201,
        message: 'DID created',
        byKey: 'secret',
        actsOn: 'did',
        body: z.object({ public_key: optional(base64) }),
        answer: z.object({ did: z.string(), public_key: shownBytes, private_key: shownBytes.optional() }),
        call: ({ body, services, context }) => services.did.create(body, context),
    }),

    endpoint({
        id: 'did.resolve',
        summary: 'Resolve a DID',
        method: 'GET',
        path: '/v1/did/{did}',
        access: 'bearer',
        scope: 'dids:read',
        status: 200,
        message: 'DID resolved',
        params: byDid,
        query: derivation,
        answer: z.object({ did: z.string(), public_key: shownBytes }),
        call: ({ params, query, services, context }) => services.did.resolve({ ...params, ...query }, context),
    }),

    endpoint({
        id: 'did.document',
        summary: 'Get the DID document',
        method: 'GET',
        path: '/v1/did/{did}/document',
        access: 'bearer',
        scope: 'dids:read',
        status: 200,
        message: 'DID document',
        params: byDid,
        query: derivation,
        answer: z.object({
            document: keyDidDocument,
        }),
        async call({ params, query, services, context }) {
            const { did } = await services.did.resolve({ ...params, ...query }, context);
            return { document: keyDocument(did) };
        },
    }),
];
