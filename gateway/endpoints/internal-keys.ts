import { z } from 'zod';
import { MAX_CHECK_COST } from '../../proto/limits.ts';
import { SCOPES } from '../../proto/scopes.ts';
import { textsIfAny } from '../answer-fields.ts';
import { endpoint } from '../endpoint.ts';
import { optional, wholeNumber } from '../fields.ts';
import { sinceUpgrade } from '../upgrading.ts';

const cost = wholeNumber({ min: 0, max: MAX_CHECK_COST, default: 1 });

/** With these, other services use this one as the authority of their API keys. */
export const internalKeyEndpoints = [
    endpoint({
        id: 'internal.keys.verify',
        summary: 'Check an API key',
        description:
            "Decides whether an API key may make a call of another service, and counts the call against the key's rate limit. A key that may not make the call is `valid: false` with a `code`, and is not charged. A key with `allowed_addresses` is checked for the address in `X-Client-Address` or, without that field, for the address of this request.",
        method: 'POST',
        path: '/internal/v1/keys/verify',
        access: 'internal',
        status: 200,
        message: 'API key checked',
        actsOn: 'key_id',
        body: z.object({
            api_key: z.string(),
            scope: optional(z.enum(SCOPES, `must be one of ${SCOPES.join(', ')}`)),
            cost: optional(cost),
        }),
        answer: z.object({
            valid: z.boolean(),
            code: z.string(),
            key_id: z.string().optional(),
            user_id: z.string().optional(),
            tier: z.string().optional(),
            scopes: textsIfAny,
            limit: z.number().optional(),
            remaining: z.number().optional(),
            reset: z.number().optional(),
        }),
        call: ({ body, ip, services, context }) => sinceUpgrade(services.keys.check({ ...body, address: ip }, context)),
    }),
];
