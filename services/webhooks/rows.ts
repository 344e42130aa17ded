import { z } from 'zod';
import type { Delivery, Webhook } from '../../proto/gen/webhooks/v1/webhooks.ts';

/** A webhook (a row of webhooks.endpoints) as its owner sees it. Times are ISO 8601 in UTC, with milliseconds. */
export const webhookRow = z.strictObject({
    id: z.string(),
    account: z.string(),
    url: z.string(),
    types: z.array(z.string()),
    description: z.string().nullable(),
    state: z.string(),
    created_at: z.string(),
    failing_since: z.string().nullable(),
});
export type WebhookRow = z.infer<typeof webhookRow>;

export const deliveryRow = z.strictObject({
    id: z.string(),
    event_id: z.string(),
    type: z.string(),
    state: z.string(),
    attempts: z.number(),
    created_at: z.string(),
    last_attempt_at: z.string().nullable(),
    due_at: z.string().nullable(),
    status: z.number().nullable(),
    reason: z.string().nullable(),
});
export type DeliveryRow = z.infer<typeof deliveryRow>;

/** What is to be delivered. */
export interface NewDelivery {
    id: string;
    event_id: string;
    type: string;
    body: string;
}

/** A webhook of an account. */
export interface OwnWebhook {
    account: string;
    id: string;
}

export function webhookOf({ id, account: _, description, failing_since, ...row }: WebhookRow): Webhook {
    return {
        webhook_id: id,
        ...row,
        description: description ?? undefined,
        failing_since: failing_since ?? undefined,
    };
}

export function deliveryOf({ id, due_at, last_attempt_at, status, reason, ...row }: DeliveryRow): Delivery {
    return {
        delivery_id: id,
        ...row,
        last_attempt_at: last_attempt_at ?? undefined,
        next_attempt_at: due_at ?? undefined,
        status: status ?? undefined,
        reason: reason ?? undefined,
    };
}

/**
 * Maximum number of deliveries to a webhook that wait for an attempt, about. Beyond it: later events stay in the stream
 * until there is room, and no test and no single event is accepted.
 */
export const MAX_WAITING_DELIVERIES = 1_000;
