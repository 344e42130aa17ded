import { z } from 'zod';
import type { IssuerKey } from '../../proto/gen/signing/v1/signing.ts';
import { KEY_ALGORITHMS } from '../../proto/key-algorithms.ts';
import { ISSUER_LEASE_MS } from '../../proto/limits.ts';
import { oneOf, shownBytes } from '../answer-fields.ts';
import { didDocument, webDocument } from '../did-documents.ts';
import { endpoint } from '../endpoint.ts';
import { name, optional, paging } from '../fields.ts';
import type { KeptDocuments } from '../kept-documents.ts';
import { ListAnswer } from '../lists.ts';

/**
 * How long clients and proxies may keep a DID document, in seconds. So long may they trust a compromised key. Beyond
 * it: they ask again.
 */
const DOCUMENT_SECONDS = 300;

const alg = z.enum(KEY_ALGORITHMS, { error: `must be ${KEY_ALGORITHMS.join(' or ')}` });
const byId = z.object({ issuer_id: z.string() });

const key = z.object({
    kid: z.string(),
    alg: oneOf(...KEY_ALGORITHMS),
    public_key: shownBytes,
    state: oneOf('active', 'retired', 'compromised'),
    created_at: z.string(),
    retired_at: z.string().optional(),
    compromised_at: z.string().optional(),
    reason: z.string().optional(),
});

export const issuer = z.object({
    issuer_id: z.string(),
    did: z.string(),
    method: oneOf('key', 'web'),
    name: z.string(),
    created_at: z.string(),
    archived_at: z.string().optional(),
    keys: z.array(key),
});

const AT_ONCE = 'The answer comes after about a second: then the change is in force in every process.';

export const issuerEndpoints = [
    endpoint({
        id: 'issuers.create',
        summary: 'Create a managed issuer',
        description:
            'The service creates the key and keeps it: no answer ever contains it. With `method` `key`, the DID is a did:key. With `web`, it is a did:web of this service, whose key can be rotated. With `alg` `ES256`, which only `web` may have, the first key is one of P-256; a key of `EdDSA`, with which PASETO tokens are signed, comes with a rotation that names it. Calls that issue or present with this DID need no private key.',
        method: 'POST',
        path: '/v1/issuers',
        access: 'bearer',
        scope: 'issuers:manage',
        status: 201,
        message: 'Issuer created',
        byKey: true,
        actsOn: 'issuer_id',
        body: z.object({ name, method: z.enum(['key', 'web'], { error: 'must be key or web' }), alg: optional(alg) }),
        answer: issuer
            .omit({ keys: true, archived_at: true })
            .extend(key.pick({ kid: true, alg: true, public_key: true }).shape),
        async call({ body, services, context }) {
            const { keys, ...created } = await services.signing.createIssuer(body, context);
            return { ...(keys[0] as IssuerKey), ...created }; // a new issuer has one key
        },
    }),

    endpoint({
        id: 'issuers.list',
        summary: 'List managed issuers',
        description: 'Newest first, including archived issuers.',
        method: 'GET',
        path: '/v1/issuers',
        access: 'bearer',
        scope: 'issuers:read',
        status: 200,
        message: 'Issuers',
        query: paging,
        answer: z.object({ issuers: z.array(issuer), total: z.number() }),
        async call({ query, services }) {
            return new ListAnswer({
                field: 'issuers',
                paging: query,
                async fetch(page, context) {
                    const { issuers, next_cursor, total } = await services.signing.listIssuers(page, context);
                    return { rows: issuers, next_cursor, total };
                },
            });
        },
    }),

    endpoint({
        id: 'issuers.get',
        summary: 'Get a managed issuer',
        method: 'GET',
        path: '/v1/issuers/{issuer_id}',
        access: 'bearer',
        scope: 'issuers:read',
        status: 200,
        message: 'Issuer',
        params: byId,
        answer: issuer,
        call: ({ params, services, context }) => services.signing.getIssuer(params, context),
    }),

    endpoint({
        id: 'issuers.rotate',
        summary: 'Rotate the key of an issuer',
        description: `Creates a key, which signs from now on in place of the active key for the same algorithm. If there is none, it is the first one: an issuer may have an active key of \`EdDSA\` and one of \`ES256\`. Without \`alg\`, the key is one of \`EdDSA\`, unless the issuer has had keys of \`ES256\` only. What the earlier keys have signed stays valid. ${AT_ONCE}`,
        method: 'POST',
        path: '/v1/issuers/{issuer_id}/rotate',
        access: 'bearer',
        scope: 'issuers:manage',
        status: 201,
        message: 'Key rotated',
        byKey: true,
        actsOn: 'issuer_id',
        params: byId,
        body: z.object({ alg: optional(alg) }),
        answer: key
            .pick({ kid: true, alg: true, public_key: true, created_at: true })
            .extend({ previous: z.string().optional() }),
        async call({ params, body, services, context }) {
            const { key: made, previous } = await services.signing.rotateKey({ ...params, ...body }, context);
            return { ...(made as IssuerKey), previous }; // it is always there
        },
    }),

    endpoint({
        id: 'issuers.mark_compromised',
        summary: 'Mark a key as compromised',
        description: `Nothing that the key has signed is valid any more, and the DID document no longer has it. If the key was active, rotate the issuer before it signs again. This cannot be undone. ${AT_ONCE}`,
        idempotent: true,
        method: 'POST',
        path: '/v1/issuers/{issuer_id}/keys/{kid}/compromised',
        access: 'bearer',
        scope: 'issuers:manage',
        status: 200,
        message: 'Key marked as compromised',
        actsOn: 'issuer_id',
        params: byId.extend({ kid: z.string() }),
        body: z.object({ reason: optional(z.string()) }),
        answer: key,
        call: ({ params, body, services, context }) =>
            services.signing.markCompromised({ ...params, ...body }, context),
    }),

    endpoint({
        id: 'issuers.archive',
        summary: 'Archive an issuer',
        description: `The issuer signs no more. What it has signed stays valid, and its DID document stays. This cannot be undone. ${AT_ONCE}`,
        idempotent: true,
        method: 'DELETE',
        path: '/v1/issuers/{issuer_id}',
        access: 'bearer',
        scope: 'issuers:manage',
        status: 200,
        message: 'Issuer archived',
        actsOn: 'issuer_id',
        params: byId,
        answer: issuer,
        call: ({ params, services, context }) => services.signing.archiveIssuer(params, context),
    }),
];

/**
 * What anybody may read about a did:web issuer. The path is outside of /v1, because the DID contains it, and must never
 * change. There is no document for the URL of an issuer (`/.well-known/jwt-vc-issuer`): tokens name their issuer by its DID.
 */
export function issuerDocuments(documents: KeptDocuments) {
    return [
        endpoint({
            id: 'issuers.document',
            summary: 'Get the DID document of a did:web issuer',
            description:
                'Whoever resolves the DID reads this document, without an account. It has every key of the issuer that is not compromised, also after the issuer was archived: one of Ed25519 as `publicKeyMultibase`, one of P-256 as `publicKeyJwk`.',
            method: 'GET',
            path: '/issuers/{issuer_id}/did.json',
            access: 'anonymous',
            status: 200,
            message: 'DID document',
            document: { contentType: 'application/did+json', maxAgeSeconds: DOCUMENT_SECONDS },
            params: byId,
            answer: didDocument,
            call: ({ params, services, context }) =>
                documents(
                    {
                        name: `issuer ${params.issuer_id}`,
                        // A call that changes an issuer answers only after this time. So the next reader sees the change.
                        since: performance.now() - ISSUER_LEASE_MS,
                        async read(own) {
                            const issuer = await services.signing.getPublicIssuer(params, own);
                            return { text: JSON.stringify(webDocument(issuer)) };
                        },
                    },
                    context,
                ),
        }),
    ] as const;
}
