import { z } from 'zod';
import type { DisclosedClaims, ListRequest, StatusPlace } from '../../../proto/gen/credentials/v1/credentials.ts';
import { MAX_CLAIMS_BYTES } from '../../../proto/limits.ts';
import { shownFrom, shownObject } from '../../answer-fields.ts';
import { endpoint } from '../../endpoint.ts';
import { base64, jsonObject, optional, paging } from '../../fields.ts';
import { ListAnswer } from '../../lists.ts';
import type { Services } from '../../services.ts';
import { formFields, inForm, OWN_KEY, refuseOtherThan } from './forms.ts';

export const issued = z.object({
    credential_id: z.string(),
    credential: z.string(),
    issuer: z.string(),
    subject: z.string(),
    credential_type: z.string(),
    issued_at: z.string(),
    expires_at: z.string().optional(),
    status: shownFrom(
        z.object({ status_list: z.object({ idx: z.number(), uri: z.string(), iss: z.string() }) }),
        (place: StatusPlace) => ({ status_list: place }),
    ),
});

export const verification = z.object({
    valid: z.boolean(),
    issuer: z.string().optional(),
    subject: z.string().optional(),
    credential_type: z.string().optional(),
    claims: shownObject.optional(),
    disclosed: shownFrom(z.array(z.string()), ({ pointers }: DisclosedClaims) => pointers),
    issued_at: z.string().optional(),
    expires_at: z.string().optional(),
    revoked: z.boolean(),
    expired: z.boolean(),
    error: z.string().optional(),
});

export const revocation = z.object({
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

/** Lists the credentials of one party. The rows leave out that party's DID, because it is the same in every row. */
function summariesOf(
    party: Pick<ListRequest, 'issuer_did' | 'subject_did'>,
    query: z.output<typeof paging>,
    { credentials: service }: Services,
): ListAnswer<Summaries> {
    const own = party.issuer_did === undefined ? 'subject' : 'issuer';
    return new ListAnswer<Summaries>({
        field: 'credentials',
        paging: query,
        async fetch(page, context) {
            const { credentials, next_cursor, total } = await service.list({ ...party, ...page }, context);
            return { rows: credentials.map((row) => ({ ...row, [own]: undefined })), next_cursor, total };
        },
    });
}

const byId = z.object({ credential_id: z.string() });

const LIST =
    'Lists the credentials of a DID, newest first: all of them if the account of the caller owns the DID, otherwise those that the caller issued.';

export const credentialEndpoints = [
    endpoint({
        id: 'credentials.issue',
        summary: 'Issue a credential',
        description: `Signs a PASETO v4 public token, in which the claims are exactly as they were sent, or an SD-JWT VC if \`format\` is \`dc+sd-jwt\`. ${OWN_KEY} The service stores neither the claims nor a private key that it was sent.`,
        method: 'POST',
        path: '/v1/credentials',
        access: 'bearer',
        scope: 'credentials:issue',
        status: 201,
        message: 'Credential issued',
        byKey: true,
        actsOn: 'credential_id',
        body: z.object({
            issuer_did: z.string(),
            issuer_private_key: optional(base64),
            subject_did: z.string(),
            credential_type: z.string(),
            claims: jsonObject(MAX_CLAIMS_BYTES),
            expiration_date: optional(z.string()),
            status_list: optional(z.boolean()).transform((value) => value || undefined),
            ...formFields,
        }),
        answer: issued,
        async call({ body, services, context }) {
            const request = inForm(body);
            const credential = await services.credentials.issue(request, context);
            refuseOtherThan(request, credential);
            return credential;
        },
    }),

    endpoint({
        id: 'credentials.verify',
        summary: 'Verify a credential',
        description:
            'A completed check is answered with 200, whatever it finds: for an invalid credential `valid` is false and `error` says why. The credential is a v4.public token or an SD-JWT VC (`dc+sd-jwt`) without the signature of its holder; any other text is refused with 400.',
        idempotent: true,
        method: 'POST',
        path: '/v1/credentials/verify',
        access: 'bearer',
        scope: 'credentials:verify',
        status: 200,
        message: 'Credential checked',
        body: z.object({
            credential: z.string(),
            issuer_did: z.string(),
            check_revocation: optional(z.boolean()).transform((value) => value ?? false),
        }),
        answer: verification,
        call: ({ body, services, context }) => services.credentials.verify(body, context),
    }),

    endpoint({
        id: 'credentials.revoke',
        summary: 'Revoke a credential',
        description: 'A revocation is permanent. A repeated call gets the same answer as the first call.',
        idempotent: true,
        method: 'POST',
        path: '/v1/credentials/revoke/{credential_id}',
        access: 'bearer',
        scope: 'credentials:revoke',
        status: 200,
        message: 'Credential revoked',
        actsOn: 'credential_id',
        params: byId,
        body: z.object({ issuer_did: z.string(), reason: optional(z.string()) }),
        answer: revocation,
        call: ({ params, body, services, context }) => services.credentials.revoke({ ...params, ...body }, context),
    }),

    endpoint({
        id: 'credentials.status',
        summary: 'Get the revocation status of a credential',
        method: 'GET',
        path: '/v1/credentials/status/{credential_id}',
        access: 'bearer',
        scope: 'credentials:read',
        status: 200,
        message: 'Revocation status',
        params: byId,
        answer: revocation,
        call: ({ params, services, context }) => services.credentials.getStatus(params, context),
    }),

    endpoint({
        id: 'credentials.by_issuer',
        summary: 'List credentials by issuer',
        description: LIST,
        method: 'GET',
        path: '/v1/credentials/by-issuer/{issuer_did}',
        access: 'bearer',
        scope: 'credentials:read',
        status: 200,
        message: 'Credentials by issuer',
        params: z.object({ issuer_did: z.string() }),
        query: paging,
        answer: z.object({ credentials: z.array(summary), total: z.number() }),
        async call({ params: { issuer_did }, query, services }) {
            return summariesOf({ issuer_did, subject_did: undefined }, query, services);
        },
    }),

    endpoint({
        id: 'credentials.by_subject',
        summary: 'List credentials by subject',
        description: LIST,
        method: 'GET',
        path: '/v1/credentials/by-subject/{subject_did}',
        access: 'bearer',
        scope: 'credentials:read',
        status: 200,
        message: 'Credentials by subject',
        params: z.object({ subject_did: z.string() }),
        query: paging,
        answer: z.object({ credentials: z.array(summary), total: z.number() }),
        async call({ params: { subject_did }, query, services }) {
            return summariesOf({ subject_did, issuer_did: undefined }, query, services);
        },
    }),
];
