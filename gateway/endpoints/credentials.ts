import { z } from 'zod';
import { JsonText } from '../../platform/json.ts';
import type { CredentialSummary, Verification } from '../../proto/gen/credentials/v1/credentials.ts';
import { endpoint } from '../endpoint.ts';
import { anyObject, base64, jsonObject, optional, paging } from '../fields.ts';
import { ListAnswer } from '../lists.ts';

const MAX_CLAIMS_BYTES = 64 << 10;

export const verification = z.object({
    valid: z.boolean(),
    issuer: z.string().optional(),
    subject: z.string().optional(),
    credential_type: z.string().optional(),
    claims: anyObject.optional(),
    issued_at: z.string().optional(),
    expires_at: z.string().optional(),
    revoked: z.boolean(),
    expired: z.boolean(),
    error: z.string().optional(),
});

export function verificationOf(result: Verification): z.input<typeof verification> {
    const { claims, ...rest } = result;
    return { ...rest, claims: claims === undefined ? undefined : new JsonText(claims) };
}

const revocation = z.object({
    credential_id: z.string(),
    revoked: z.boolean(),
    revoked_at: z.string().optional(),
    reason: z.string().optional(),
});

const summary = z.object({
    credential_id: z.string(),
    issuer: z.string().optional(),
    subject: z.string().optional(),
    credential_type: z.string(),
    issued_at: z.string(),
    expires_at: z.string().optional(),
    revoked: z.boolean(),
});
type Summaries = { credentials: Array<z.input<typeof summary>>; total: number };

const byId = z.object({ credential_id: z.string() });

export const credentialEndpoints = [
    endpoint({
        id: 'credentials.issue',
        method: 'POST',
        path: '/v1/credentials',
        access: 'any',
        status: 201,
        message: 'Credential issued',
        body: z.object({
            issuer_did: z.string(),
            issuer_private_key: base64,
            subject_did: z.string(),
            credential_type: z.string(),
            claims: jsonObject(MAX_CLAIMS_BYTES),
            expiration_date: optional(z.string()),
        }),
        answer: z.object({
            credential_id: z.string(),
            credential: z.string(),
            issuer: z.string(),
            subject: z.string(),
            credential_type: z.string(),
            issued_at: z.string(),
            expires_at: z.string().optional(),
        }),
        call: ({ body, services, context }) => services.credentials.issue(body, context),
    }),

    endpoint({
        id: 'credentials.verify',
        method: 'POST',
        path: '/v1/credentials/verify',
        access: 'any',
        status: 200,
        message: 'Credential checked',
        body: z.object({
            credential: z.string(),
            issuer_did: z.string(),
            check_revocation: optional(z.boolean()).transform((value) => value ?? false),
        }),
        answer: verification,
        async call({ body, services, context }) {
            return verificationOf(await services.credentials.verify(body, context));
        },
    }),

    endpoint({
        id: 'credentials.revoke',
        method: 'POST',
        path: '/v1/credentials/revoke/{credential_id}',
        access: 'any',
        status: 200,
        message: 'Credential revoked',
        params: byId,
        body: z.object({ issuer_did: z.string(), reason: optional(z.string()) }),
        answer: revocation,
        call: ({ params, body, services, context }) => services.credentials.revoke({ ...params, ...body }, context),
    }),

    endpoint({
        id: 'credentials.status',
        method: 'GET',
        path: '/v1/credentials/status/{credential_id}',
        access: 'any',
        status: 200,
        message: 'Revocation status',
        params: byId,
        answer: revocation,
        call: ({ params, services, context }) => services.credentials.getStatus(params, context),
    }),

    endpoint({
        id: 'credentials.by_issuer',
        method: 'GET',
        path: '/v1/credentials/by-issuer/{issuer_did}',
        access: 'any',
        status: 200,
        message: 'Credentials by issuer',
        params: z.object({ issuer_did: z.string() }),
        query: paging,
        answer: z.object({ credentials: z.array(summary), total: z.number() }),
        async call({ params, query, services }) {
            return new ListAnswer<Summaries>({
                field: 'credentials',
                paging: query,
                async fetch(page, context) {
                    const request = { ...params, ...page, subject_did: undefined };
                    const { credentials, next_cursor, total } = await services.credentials.list(request, context);
                    const rows = credentials.map(({ issuer: _, ...row }: CredentialSummary) => row);
                    return { rows, next_cursor, total };
                },
            });
        },
    }),

    endpoint({
        id: 'credentials.by_subject',
        method: 'GET',
        path: '/v1/credentials/by-subject/{subject_did}',
        access: 'any',
        status: 200,
        message: 'Credentials by subject',
        params: z.object({ subject_did: z.string() }),
        query: paging,
        answer: z.object({ credentials: z.array(summary), total: z.number() }),
        async call({ params, query, services }) {
            return new ListAnswer<Summaries>({
                field: 'credentials',
                paging: query,
                async fetch(page, context) {
                    const request = { ...params, ...page, issuer_did: undefined };
                    const { credentials, next_cursor, total } = await services.credentials.list(request, context);
                    const rows = credentials.map(({ subject: _, ...row }: CredentialSummary) => row);
                    return { rows, next_cursor, total };
                },
            });
        },
    }),
];
