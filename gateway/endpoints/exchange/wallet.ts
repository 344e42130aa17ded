import { z } from 'zod';
import type { CallContext } from '../../../platform/context.ts';
import type { IssuerMetadata } from '../../../proto/gen/exchange/v1/exchange.ts';
import { PRE_AUTHORIZED_CODE } from '../../../proto/openid4vci.ts';
import { endpoint } from '../../endpoint.ts';
import { anyItem, optional } from '../../fields.ts';
import type { KeptDocuments } from '../../kept-documents.ts';
import type { Services } from '../../services.ts';
import {
    authorizationServerMetadata,
    credentialIssuerMetadata,
    issuerMetadataOf,
    serverMetadataOf,
} from './issuer-metadata.ts';
import { dpop, presented, proofs } from './wallet-fields.ts';

/**
 * How long wallets and proxies may keep the metadata of an issuer, in seconds. So long may a new configuration be unknown
 * to them. Beyond it: they ask again.
 */
const METADATA_SECONDS = 10;

const byIssuer = z.object({ issuer_id: z.string() });

const txCode = z.object({ length: z.number(), input_mode: z.string(), description: z.string().optional() });

/** Largest body of a request without proofs, in bytes. Nobody has checked its sender when it is read. Beyond it: 413. */
const MAX_SMALL_BYTES = 4 << 10;
/** Largest body with proofs, in bytes: 20 of them, each as long as one may be. Beyond it: 413. */
const MAX_PROOFS_BYTES = 192 << 10;

/** The endpoints that wallets call (OpenID4VCI 1.0). Their paths begin with the identifier of the issuer. */
export const walletProtocolEndpoints = [
    endpoint({
        id: 'exchange.offer',
        method: 'GET',
        path: '/issuers/{issuer_id}/offers/{secret}',
        access: 'anonymous',
        status: 200,
        message: 'Credential offer',
        bare: true,
        problem: 'invalid_request',
        params: byIssuer.extend({ secret: z.string() }),
        answer: z.object({
            credential_issuer: z.string(),
            credential_configuration_ids: z.array(z.string()),
            grants: z.object({
                [PRE_AUTHORIZED_CODE]: z.object({ 'pre-authorized_code': z.string(), tx_code: txCode.optional() }),
            }),
        }),
        async call({ params, services, context }) {
            const shown = await services.exchange.getCredentialOffer(params, context);
            const { credential_issuer, configuration_id, code, tx_code } = shown;
            return {
                credential_issuer,
                credential_configuration_ids: [configuration_id],
                grants: {
                    [PRE_AUTHORIZED_CODE]: {
                        'pre-authorized_code': code,
                        ...(tx_code && { tx_code: tx_code as z.infer<typeof txCode> }), // the service has completed it
                    },
                },
            };
        },
    }),

    endpoint({
        id: 'exchange.token',
        method: 'POST',
        path: '/issuers/{issuer_id}/token',
        access: 'anonymous',
        status: 200,
        message: 'Access token',
        bare: true,
        form: true,
        problem: 'invalid_request',
        params: byIssuer,
        headers: dpop,
        body: z.object({
            grant_type: z.string(),
            'pre-authorized_code': optional(z.string()),
            tx_code: optional(z.string()),
        }),
        answer: z.object({ access_token: z.string(), token_type: z.string(), expires_in: z.number() }),
        call({ params, headers, body: { 'pre-authorized_code': code, ...body }, services, context }) {
            return services.exchange.redeem({ ...params, ...headers, ...body, code }, context);
        },
    }),

    endpoint({
        id: 'exchange.nonce',
        method: 'POST',
        path: '/issuers/{issuer_id}/nonce',
        access: 'anonymous',
        maxBodyBytes: MAX_SMALL_BYTES,
        status: 200,
        message: 'Nonce',
        bare: true,
        problem: 'invalid_request',
        params: byIssuer,
        answer: z.object({ c_nonce: z.string() }),
        call: ({ params, services, context }) => services.exchange.getNonce(params, context),
    }),

    endpoint({
        id: 'exchange.credential',
        method: 'POST',
        path: '/issuers/{issuer_id}/credential',
        access: 'wallet',
        maxBodyBytes: MAX_PROOFS_BYTES,
        status: 200,
        message: 'Credentials',
        bare: true,
        problem: 'invalid_credential_request',
        actsOn: 'notification_id',
        params: byIssuer,
        headers: dpop,
        body: z.object({
            credential_configuration_id: optional(z.string()),
            credential_identifier: optional(z.string()),
            proofs: optional(proofs),
            credential_response_encryption: optional(anyItem(z.object({ enc: z.string() }))), // any is refused
        }),
        answer: z.object({
            credentials: z.array(z.object({ credential: z.string() })),
            notification_id: z.string(),
        }),
        async call({ params, body, services, context, ...head }) {
            const { credentials, notification_id } = await services.exchange.issueCredential(
                {
                    ...params,
                    ...presented(head),
                    configuration_id: body.credential_configuration_id,
                    credential_identifier: body.credential_identifier,
                    proofs: body.proofs?.jwt ?? [],
                    encrypted: body.credential_response_encryption !== undefined,
                },
                context,
            );
            return { credentials: credentials.map((credential) => ({ credential })), notification_id };
        },
    }),

    endpoint({
        id: 'exchange.notification',
        method: 'POST',
        path: '/issuers/{issuer_id}/notification',
        access: 'wallet',
        maxBodyBytes: MAX_SMALL_BYTES,
        status: 200,
        message: 'Notification',
        bare: true,
        problem: 'invalid_notification_request',
        params: byIssuer,
        headers: dpop,
        body: z.object({ notification_id: z.string(), event: z.string() }),
        answer: z.object({ notification_id: z.string() }),
        async call({ params, body, services, context, ...head }) {
            await services.exchange.notify({ ...params, ...presented(head), ...body }, context);
            return body;
        },
    }),
];

/** The metadata of an issuer, which wallets look for between its host and its path (RFC 8414, section 3.1). */
export function issuerMetadataEndpoints(documents: KeptDocuments) {
    const document = { contentType: 'application/json; charset=utf-8', maxAgeSeconds: METADATA_SECONDS };
    const shared = { method: 'GET', access: 'anonymous', status: 200, document, params: byIssuer } as const;
    const kept = (name: string, shown: (metadata: IssuerMetadata) => object) => {
        return ({
            params,
            services,
            context,
        }: {
            params: z.infer<typeof byIssuer>;
            services: Services;
            context: CallContext;
        }) =>
            documents(
                {
                    name: `${name} ${params.issuer_id}`,
                    since: performance.now(),
                    read: async (own) => ({
                        text: JSON.stringify(shown(await services.exchange.getIssuerMetadata(params, own))),
                    }),
                },
                context,
            );
    };
    return [
        endpoint({
            ...shared,
            id: 'exchange.issuer_metadata',
            path: '/.well-known/openid-credential-issuer/issuers/{issuer_id}',
            message: 'Metadata of the issuer',
            answer: credentialIssuerMetadata,
            call: kept('metadata of issuer', issuerMetadataOf),
        }),
        endpoint({
            ...shared,
            id: 'exchange.server_metadata',
            path: '/.well-known/oauth-authorization-server/issuers/{issuer_id}',
            message: 'Metadata of the authorization server',
            answer: authorizationServerMetadata,
            call: kept('server metadata of issuer', ({ credential_issuer }) => serverMetadataOf(credential_issuer)),
        }),
    ];
}
