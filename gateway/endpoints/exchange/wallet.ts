import { z } from 'zod';
import { PRE_AUTHORIZED_CODE } from '../../../proto/openid4vci.ts';
import { endpoint } from '../../endpoint.ts';
import { anyItem, optional } from '../../fields.ts';
import { byIssuer } from './issuer-metadata.ts';
import { dpop, presented, proofs } from './wallet-fields.ts';

const txCode = z.object({ length: z.number(), input_mode: z.string(), description: z.string().optional() });

/** Largest body in JSON without proofs, in bytes. Nobody has checked its sender when it is read. Beyond it: 413. */
const MAX_SMALL_BYTES = 4 << 10;
/** Largest body with proofs, in bytes: 20 of them, each as long as one may be. Beyond it: 413. */
const MAX_PROOFS_BYTES = 192 << 10;

/** The endpoints that wallets call (OpenID4VCI 1.0). Their paths begin with the identifier of the issuer. */
export const walletProtocolEndpoints = [
    endpoint({
        id: 'exchange.offer',
        summary: 'Read an offer',
        description: 'What the link of an offer leads to. It can be read any number of times until the offer expires.',
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
        summary: 'Exchange a code for an access token',
        description:
            'Spends the code, once. A wrong transaction code spends nothing, but the fifth one ends the offer. The offer also ends with the API key that has made it, and with its issuer. With a DPoP proof, the token is bound to its key.',
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
        summary: 'Get a nonce for proofs',
        description: 'It can be used for five minutes.',
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
        summary: 'Get credentials',
        description:
            'Issues a credential for each key that a proof proves. A repeated call gets the same credentials, signed again.',
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
        summary: 'Say what became of credentials',
        idempotent: true,
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
