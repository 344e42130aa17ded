import { z } from 'zod';
import { EVENT_TYPES } from '../../../proto/event-types.ts';
import type { Webhook } from '../../../proto/gen/webhooks/v1/webhooks.ts';
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '../../../proto/limits.ts';
import { oneOf } from '../../answer-fields.ts';
import { endpoint } from '../../endpoint.ts';
import { listOf, optional, paging, wholeNumber } from '../../fields.ts';
import { ListAnswer } from '../../lists.ts';

export const byWebhook = z.object({ webhook_id: z.string() });

const types = listOf(z.string(), { max: EVENT_TYPES.length });

const overlap = wholeNumber({ min: 0, max: MAX_OVERLAP_SECONDS, default: DEFAULT_OVERLAP_SECONDS });

export const webhook = z.object({
    webhook_id: z.string(),
    url: z.string(),
    types: z.array(z.string()),
    description: z.string().optional(),
    state: oneOf('active', 'paused', 'disabled'),
    created_at: z.string(),
    failing_since: z.string().optional(),
});

/** The endpoints that manage webhooks. */
export const webhookEndpoints = [
    endpoint({
        id: 'webhooks.create',
        summary: 'Create a webhook',
        description:
            'The service sends every event of these types that happens from now on to the URL, as Standard Webhooks 1.0.0 says: signed, at least once, in any order. An answer with 2xx in time is a success; anything else is a failure, also a redirect. A failed delivery is attempted again for 24 hours.',
        method: 'POST',
        path: '/v1/webhooks',
        access: 'bearer',
        scope: 'webhooks:manage',
        status: 201,
        message: 'Webhook created. Store its secret now: it is not shown again.',
        byKey: 'secret',
        actsOn: 'webhook_id',
        body: z.object({ url: z.string(), types: optional(types), description: optional(z.string()) }),
        answer: webhook.omit({ failing_since: true }).extend({ secret: z.string() }),
        async call({ body: { types = [], ...body }, services, context }) {
            const created = await services.webhooks.create({ ...body, types }, context);
            return { ...(created.webhook as Webhook), secret: created.secret }; // it is always there
        },
    }),

    endpoint({
        id: 'webhooks.list',
        summary: 'List webhooks',
        description: 'Newest first.',
        method: 'GET',
        path: '/v1/webhooks',
        access: 'bearer',
        scope: 'webhooks:manage',
        status: 200,
        message: 'Webhooks',
        query: paging,
        answer: z.object({ webhooks: z.array(webhook), total: z.number() }),
        async call({ query, services }) {
            return new ListAnswer({
                field: 'webhooks',
                paging: query,
                async fetch(page, context) {
                    const { webhooks, next_cursor, total } = await services.webhooks.list(page, context);
                    return { rows: webhooks, next_cursor, total };
                },
            });
        },
    }),

    endpoint({
        id: 'webhooks.get',
        summary: 'Get a webhook',
        method: 'GET',
        path: '/v1/webhooks/{webhook_id}',
        access: 'bearer',
        scope: 'webhooks:manage',
        status: 200,
        message: 'Webhook',
        params: byWebhook,
        answer: webhook,
        call: ({ params, services, context }) => services.webhooks.get(params, context),
    }),

    endpoint({
        id: 'webhooks.update',
        summary: 'Change a webhook',
        description:
            'Changes the fields that are given. A webhook that becomes active again gets what it has missed, and a new URL is tried at once.',
        idempotent: true,
        method: 'PATCH',
        path: '/v1/webhooks/{webhook_id}',
        access: 'bearer',
        scope: 'webhooks:manage',
        status: 200,
        message: 'Webhook updated',
        actsOn: 'webhook_id',
        params: byWebhook,
        body: z.object({
            url: optional(z.string()),
            types: optional(types),
            description: optional(z.string()),
            state: optional(z.enum(['active', 'paused'], { error: 'must be active or paused' })),
        }),
        answer: webhook,
        call: ({ params, body: { types: changed, ...body }, services, context }) =>
            services.webhooks.update({ ...params, ...body, types: changed && { types: changed } }, context),
    }),

    endpoint({
        id: 'webhooks.delete',
        summary: 'Delete a webhook',
        description: 'Nothing is sent to it any more. Deliveries that are under way may still arrive.',
        method: 'DELETE',
        path: '/v1/webhooks/{webhook_id}',
        access: 'bearer',
        scope: 'webhooks:manage',
        status: 200,
        message: 'Webhook deleted',
        actsOn: 'webhook_id',
        params: byWebhook,
        answer: byWebhook,
        call: ({ params, services, context }) => services.webhooks.delete(params, context),
    }),

    endpoint({
        id: 'webhooks.rotate_secret',
        summary: 'Rotate the secret of a webhook',
        description:
            'Creates a secret. During the overlap each delivery has two signatures, one with each secret, so that the receiver can change over without a failure. A secret that was replaced earlier ends at once. The answer comes after about a second: then every process signs with the new secret.',
        method: 'POST',
        path: '/v1/webhooks/{webhook_id}/rotate-secret',
        access: 'bearer',
        scope: 'webhooks:manage',
        status: 201,
        message: 'Secret rotated. Store the new one now: it is not shown again.',
        byKey: 'secret',
        actsOn: 'webhook_id',
        params: byWebhook,
        body: z.object({ overlap_seconds: optional(overlap) }),
        answer: z.object({ webhook_id: z.string(), secret: z.string(), previous_until: z.string().optional() }),
        async call({ params, body: { overlap_seconds = DEFAULT_OVERLAP_SECONDS }, services, context }) {
            const rotated = await services.signing.rotateWebhookSecret({ ...params, overlap_seconds }, context);
            return { ...params, ...rotated };
        },
    }),
];
