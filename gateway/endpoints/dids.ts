import { z } from 'zod';
import { encodeBase64 } from '../../platform/base64.ts';
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
        method: 'POST',
        path: '/v1/did',
        access: 'bearer',
        scope: 'dids:create',
        status: 201,
        message: 'DID created',
        byKey: 'secret',
        actsOn: 'did',
        body: z.object({ public_key: optional(base64) }),
        answer: z.object({ did: z.string(), public_key: z.string(), private_key: z.string().optional() }),
        async call({ body, services, context }) {
            const { did, public_key, private_key } = await services.did.create(body, context);
            return {
                did,
                public_key: encodeBase64(public_key),
                private_key: private_key && encodeBase64(private_key),
            };
        },
    }),

    endpoint({
        id: 'did.resolve',
        method: 'GET',
        path: '/v1/did/{did}',
        access: 'bearer',
        scope: 'dids:read',
        status: 200,
        message: 'DID resolved',
        params: byDid,
        query: derivation,
        answer: z.object({ did: z.string(), public_key: z.string() }),
        async call({ params, query, services, context }) {
            const { did, public_key } = await services.did.resolve({ ...params, ...query }, context);
            return { did, public_key: encodeBase64(public_key) };
        },
    }),

    endpoint({
        id: 'did.document',
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
