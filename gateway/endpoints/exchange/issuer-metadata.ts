import { z } from 'zod';
import type { CallContext } from '../../../platform/context.ts';
import type {
    ClaimDescription,
    Configuration,
    Display,
    IssuerMetadata,
} from '../../../proto/gen/exchange/v1/exchange.ts';
import { PRE_AUTHORIZED_CODE, partOf, WALLET_ALGORITHMS } from '../../../proto/openid4vci.ts';
import { endpoint } from '../../endpoint.ts';
import type { KeptDocuments } from '../../kept-documents.ts';
import type { Services } from '../../services.ts';

/**
 * How long wallets and proxies may keep the metadata of an issuer, in seconds. So long may a new configuration be unknown
 * to them. Beyond it: they ask again.
 */
const METADATA_SECONDS = 10;

export const byIssuer = z.object({ issuer_id: z.string() });

const text = z.string();
const texts = z.array(text);

/** What a wallet must know about a kind of credential. OpenID4VCI 1.0, appendix A.3, names the members. */
const offered = z.record(text, z.unknown());

/** The metadata of a credential issuer (OpenID4VCI 1.0, section 12.2). */
const credentialIssuerMetadata = z.object({
    credential_issuer: text,
    credential_endpoint: text,
    nonce_endpoint: text,
    notification_endpoint: text,
    batch_credential_issuance: z.object({ batch_size: z.number() }).optional(),
    credential_configurations_supported: z.record(text, offered),
});

/** The metadata of an issuer as an authorization server (RFC 8414). */
const authorizationServerMetadata = z.object({
    issuer: text,
    token_endpoint: text,
    response_types_supported: texts,
    grant_types_supported: texts,
    token_endpoint_auth_methods_supported: texts,
    'pre-authorized_grant_anonymous_access_supported': z.boolean(),
    dpop_signing_alg_values_supported: texts,
});

export function issuerMetadataOf(metadata: IssuerMetadata): z.infer<typeof credentialIssuerMetadata> {
    const { credential_issuer: issuer, configurations } = metadata;
    // Wallets may send as many proofs for each of the configurations.
    const least = Math.min(...configurations.map(({ max_keys }) => max_keys));
    const isBatch = configurations.length > 0 && least > 1;
    return {
        credential_issuer: issuer,
        credential_endpoint: `${issuer}/credential`,
        nonce_endpoint: `${issuer}/nonce`,
        notification_endpoint: `${issuer}/notification`,
        ...(isBatch && { batch_credential_issuance: { batch_size: least } }),
        credential_configurations_supported: Object.fromEntries(
            configurations.map((configuration) => [configuration.configuration_id, offeredIn(configuration)]),
        ),
    };
}

function offeredIn({ format, vct, display, claims, proof_algs }: Configuration): z.infer<typeof offered> {
    return {
        format,
        vct,
        cryptographic_binding_methods_supported: ['jwk', 'did:key', 'did:jwk'],
        proof_types_supported: { jwt: { proof_signing_alg_values_supported: proof_algs } },
        ...metadataOf({ display, claims }),
    };
}

/** Its lists may not be empty (OpenID4VCI 1.0, section 12.2.4). */
function metadataOf({ display, claims }: Pick<Configuration, 'display' | 'claims'>): object {
    const metadata = {
        ...(display.length > 0 && { display: display.map(shown) }),
        ...(claims.length > 0 && { claims: claims.map(described) }),
    };
    return Object.keys(metadata).length === 0 ? {} : { credential_metadata: metadata };
}

function described({ path, display, ...claim }: ClaimDescription) {
    return { path: path.map(partOf), ...claim, ...(display.length > 0 && { display }) };
}

function shown({ logo, ...display }: Display) {
    return { ...display, ...(logo !== undefined && { logo: { uri: logo } }) };
}

export function serverMetadataOf(issuer: string): z.infer<typeof authorizationServerMetadata> {
    return {
        issuer,
        token_endpoint: `${issuer}/token`,
        response_types_supported: [],
        grant_types_supported: [PRE_AUTHORIZED_CODE],
        token_endpoint_auth_methods_supported: ['none'],
        'pre-authorized_grant_anonymous_access_supported': true,
        dpop_signing_alg_values_supported: [...WALLET_ALGORITHMS],
    };
}

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
            summary: 'Read the metadata of an issuer',
            description: 'What OpenID4VCI 1.0 says about a credential issuer.',
            path: '/.well-known/openid-credential-issuer/issuers/{issuer_id}',
            message: 'Metadata of the issuer',
            answer: credentialIssuerMetadata,
            call: kept('metadata of issuer', issuerMetadataOf),
        }),
        endpoint({
            ...shared,
            id: 'exchange.server_metadata',
            summary: 'Read the metadata of an issuer as an authorization server',
            description: 'What RFC 8414 says about it.',
            path: '/.well-known/oauth-authorization-server/issuers/{issuer_id}',
            message: 'Metadata of the authorization server',
            answer: authorizationServerMetadata,
            call: kept('server metadata of issuer', ({ credential_issuer }) => serverMetadataOf(credential_issuer)),
        }),
    ];
}
