import { z } from 'zod';
import { oneOf } from '../../answer-fields.ts';
import { endpoint } from '../../endpoint.ts';
import { optional, paging } from '../../fields.ts';
import { ListAnswer } from '../../lists.ts';
import { byWebhook } from './webhooks.ts';

const delivery = z.object({
    delivery_id: z.string(),
    event_id: z.string(),
    type: z.string(),
    state: oneOf('waiting', 'delivered', 'failed'),
    attempts: z.number(),
    created_at: z.string(),
    last_attempt_at: z.string().optional(),
    next_attempt_at: z.string().optional(),
    status: z.number().optional(),
    reason: z.string().optional(),
});

/** The endpoints that show what webhooks have got, and send it again. */
export const deliveryEndpoints = [
    endpoint({
        id: 'webhooks.test',
        summary: 'Send a test to a webhook',
        description: 'Sends an event of the type `webhook.test`. The deliveries of the webhook show what became of it.',
        method: 'POST',
        path: '/v1/webhooks/{webhook_id}/test',
        access: 'bearer',
        scope: 'webhooks:manage',
        status: 201,
        message: 'Test is sent',
        actsOn: 'webhook_id',
        params: byWebhook,
        body: z.object({}),
        answer: delivery.pick({ delivery_id: true, event_id: true, type: true, state: true, created_at: true }),
        call: ({ params, services, context }) => services.webhooks.test(params, context),
    }),

    endpoint({
        id: 'webhooks.deliveries',
        summary: 'List the deliveries of a webhook',
        description: 'Newest first, those of the last 30 days.',
        method: 'GET',
        path: '/v1/webhooks/{webhook_id}/deliveries',
        access: 'bearer',
        scope: 'webhooks:manage',
        status: 200,
        message: 'Deliveries',
        params: byWebhook,
        query: paging.extend({ state: z.string().optional() }),
        answer: z.object({ deliveries: z.array(delivery) }),
        async call({ params, query: { state, ...query }, services }) {
            return new ListAnswer({
                field: 'deliveries',
                totals: false,
                paging: query,
                async fetch({ limit, cursor }, context) {
                    const asked = { ...params, state, limit, cursor };
                    const { deliveries, next_cursor } = await services.webhooks.listDeliveries(asked, context);
                    return { rows: deliveries, next_cursor, total: undefined };
                },
            });
        },
    }),

    endpoint({
        id: 'webhooks.replay',
        summary: 'Send events again',
        description:
            'Sends one event again, or those of a time of at most 31 days, of the types of the webhook. They have the same `webhook-id` as before.',
        method: 'POST',
        path: '/v1/webhooks/{webhook_id}/replay',
        access: 'bearer',
        scope: 'webhooks:manage',
        status: 200,
        message: 'Events are sent again',
        actsOn: 'webhook_id',
        params: byWebhook,
        body: z.object({
            event_id: optional(z.string()),
            from: optional(z.string()),
            to: optional(z.string()),
        }),
        answer: byWebhook,
        call: ({ params, body, services, context }) => services.webhooks.replay({ ...params, ...body }, context),
    }),
];
