import { z } from 'zod';
import type { ClaimPathStep } from '../../../proto/gen/exchange/v1/exchange.ts';
import {
    MAX_CLAIM_INDEX,
    MAX_CLAIM_PATH,
    MAX_DESCRIBED_CLAIMS,
    MAX_DISPLAYS,
    MAX_OFFER_KEYS,
} from '../../../proto/limits.ts';
import { partOf, stepOf } from '../../../proto/openid4vci.ts';
import { oneOf } from '../../answer-fields.ts';
import { endpoint } from '../../endpoint.ts';
import { listOf, optional, wholeNumber } from '../../fields.ts';

const byIssuer = z.object({ issuer_id: z.string() });
const byConfiguration = byIssuer.extend({ configuration_id: z.string() });

const claimDisplay = z.object({ name: z.string(), locale: z.string().optional() });
const display = claimDisplay.extend({
    description: z.string().optional(),
    background_color: z.string().optional(),
    text_color: z.string().optional(),
    logo: z.string().optional(),
});

const shownPart = z
    .custom<ClaimPathStep>()
    .transform(partOf)
    .meta({ anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] });

export const configuration = z.object({
    issuer_id: z.string(),
    configuration_id: z.string(),
    format: oneOf('dc+sd-jwt'),
    vct: z.string(),
    display: z.array(display),
    claims: z.array(z.object({ path: z.array(shownPart), mandatory: z.boolean(), display: z.array(claimDisplay) })),
    max_keys: z.number(),
    proof_algs: z.array(z.string()),
    created_at: z.string(),
});

const sentClaimDisplay = z.object({ name: z.string(), locale: optional(z.string()) });
const sentDisplay = sentClaimDisplay.extend({
    description: optional(z.string()),
    background_color: optional(z.string()),
    text_color: optional(z.string()),
    logo: optional(z.string()),
});
const PART = `must be a string, null or a whole number from 0 to ${MAX_CLAIM_INDEX}`;
const sentIndex = z
    .number()
    .refine((index) => Number.isInteger(index) && index >= 0 && index <= MAX_CLAIM_INDEX, PART)
    .meta({ type: 'integer', minimum: 0, maximum: MAX_CLAIM_INDEX });
const sentPart = z.union([z.string(), sentIndex, z.null()], { error: PART }).transform(stepOf);
const sentClaim = z.object({
    path: listOf(sentPart, { min: 1, max: MAX_CLAIM_PATH }),
    mandatory: optional(z.boolean()),
    display: optional(listOf(sentClaimDisplay, { max: MAX_DISPLAYS })),
});

/** The endpoints that say what an issuer offers. */
export const configurationEndpoints = [
    endpoint({
        id: 'configurations.create',
        summary: 'Describe what an issuer offers',
        description:
            'Adds a configuration to a did:web issuer: a kind of credential that wallets can get by OpenID4VCI. The metadata of the issuer shows it to anybody. Only a service whose `PUBLIC_URL` has https offers credentials.',
        method: 'POST',
        path: '/v1/issuers/{issuer_id}/configurations',
        access: 'bearer',
        scope: 'issuers:manage',
        status: 201,
        message: 'Configuration created',
        actsOn: 'issuer_id',
        params: byIssuer,
        body: z.object({
            configuration_id: z.string(),
            format: z.enum(['dc+sd-jwt'], { error: 'must be dc+sd-jwt' }),
            vct: z.string(),
            display: optional(listOf(sentDisplay, { max: MAX_DISPLAYS })),
            claims: optional(listOf(sentClaim, { max: MAX_DESCRIBED_CLAIMS })),
            max_keys: optional(wholeNumber({ min: 1, max: MAX_OFFER_KEYS, default: 1 })),
            proof_algs: optional(listOf(z.string(), { max: 2 })),
        }),
        answer: configuration,
        call({ params, body: { display = [], claims = [], proof_algs = [], ...body }, services, context }) {
            const described = claims.map(({ path, mandatory = false, display: shown = [] }) => {
                return { path, mandatory, display: shown };
            });
            const request = { ...params, ...body, display, claims: described, proof_algs };
            return services.exchange.createConfiguration(request, context);
        },
    }),

    endpoint({
        id: 'configurations.list',
        summary: 'List what an issuer offers',
        method: 'GET',
        path: '/v1/issuers/{issuer_id}/configurations',
        access: 'bearer',
        scope: 'issuers:read',
        status: 200,
        message: 'Configurations',
        params: byIssuer,
        answer: z.object({ configurations: z.array(configuration) }),
        call: ({ params, services, context }) => services.exchange.listConfigurations(params, context),
    }),

    endpoint({
        id: 'configurations.get',
        summary: 'Get a configuration',
        method: 'GET',
        path: '/v1/issuers/{issuer_id}/configurations/{configuration_id}',
        access: 'bearer',
        scope: 'issuers:read',
        status: 200,
        message: 'Configuration',
        params: byConfiguration,
        answer: configuration,
        call: ({ params, services, context }) => services.exchange.getConfiguration(params, context),
    }),

    endpoint({
        id: 'configurations.delete',
        summary: 'Delete a configuration',
        description: 'Its offers can no longer be accepted. Credentials that were issued stay as they are.',
        method: 'DELETE',
        path: '/v1/issuers/{issuer_id}/configurations/{configuration_id}',
        access: 'bearer',
        scope: 'issuers:manage',
        status: 200,
        message: 'Configuration deleted',
        actsOn: 'issuer_id',
        params: byConfiguration,
        answer: byConfiguration,
        async call({ params, services, context }) {
            return { ...params, ...(await services.exchange.deleteConfiguration(params, context)) };
        },
    }),
];
