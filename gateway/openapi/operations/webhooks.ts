import type { OperationNotes } from '../operation.ts';
import { EVENT_ID } from './events.ts';

const WEBHOOK_ID = '01a1fac9-0f21-7000-9d3e-8b7c6a5f4e3d';
const DELIVERY_ID = '01a1fac9-0f2c-7000-8a1b-2c3d4e5f6a7b';
const SECRET = 'whsec_EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleE=';
const params = { webhook_id: WEBHOOK_ID };
const refusals = { not_found: 'The account has no webhook with this id.' };
const inactive = { conflict: 'The webhook is paused or disabled, or too many of its deliveries wait.' };
const shown = {
    webhook_id: WEBHOOK_ID,
    url: 'https://shop.example/hooks',
    types: ['credential.issued', 'credential.revoked'],
    description: 'the shop',
    state: 'active',
    created_at: '2026-11-20T21:07:22.990Z',
};
const test = {
    delivery_id: DELIVERY_ID,
    event_id: `test.${DELIVERY_ID}`,
    type: 'webhook.test',
    state: 'waiting',
    created_at: '2026-11-20T21:08:00.000Z',
};
const webhookFields = {
    state: '`active`. `paused` by its owner, or after five days of failures. `disabled`: it has answered 410.',
};
const deliveryFields = {
    type: 'The type of the event, or `webhook.test`.',
    state: '`waiting` for its first or next attempt, `delivered`, or `failed` for good.',
    event_id: 'The `webhook-id` of the delivery. That of an event is the id of the event.',
};

export const webhookOperations = {
    'webhooks.create': {
        refusals: { forbidden: 'The account has reached its quota of webhooks.' },
        owasp: { objects: 'none', slowedBy: 'rate' },
        fields: { ...webhookFields, secret: 'Verifies the signatures. It is shown only once.' },
        example: {
            body: { url: shown.url, types: shown.types, description: shown.description },
            data: { ...shown, secret: SECRET },
        },
    },
    'webhooks.list': {
        owasp: { objects: 'own' },
        fields: { ...webhookFields, webhooks: 'Webhooks, newest first.' },
        example: { query: { limit: '100' }, data: { webhooks: [shown], total: 1 } },
    },
    'webhooks.get': {
        refusals,
        owasp: { objects: 'own' },
        fields: webhookFields,
        example: { params, data: shown },
    },
    'webhooks.update': {
        refusals,
        owasp: { objects: 'own' },
        fields: webhookFields,
        example: { params, body: { state: 'paused' }, data: { ...shown, state: 'paused' } },
    },
    'webhooks.delete': {
        refusals,
        owasp: { objects: 'own' },
        example: { params, data: params },
    },
    'webhooks.rotate_secret': {
        refusals,
        owasp: { objects: 'own', slowedBy: 'rate' },
        fields: {
            overlap_seconds: 'Seconds for which the earlier secret signs, too.',
            secret: 'The new secret. It is shown only once.',
            previous_until: { description: 'Until when the earlier secret signs, too.', format: 'date-time' },
        },
        example: {
            params,
            body: { overlap_seconds: 3_600 },
            data: { ...params, secret: SECRET, previous_until: '2026-11-20T22:07:22.990Z' },
        },
    },
    'webhooks.test': {
        refusals: { ...refusals, ...inactive },
        owasp: { objects: 'own', slowedBy: 'rate' },
        fields: deliveryFields,
        example: { params, body: {}, data: test },
    },
    'webhooks.deliveries': {
        refusals,
        owasp: { objects: 'own' },
        fields: {
            ...deliveryFields,
            deliveries: 'Deliveries, newest first.',
            attempts: 'Number of attempts.',
            last_attempt_at: 'When the last attempt was made.',
            next_attempt_at: 'When the next attempt is due. Absent if there is none.',
            status: 'Status of the last answer. Absent if there was none.',
            reason: 'Why the last attempt has failed.',
        },
        example: {
            params,
            query: { state: 'waiting', limit: '100' },
            data: {
                deliveries: [
                    {
                        ...test,
                        event_id: EVENT_ID,
                        type: 'credential.issued',
                        attempts: 1,
                        last_attempt_at: '2026-11-20T21:08:00.700Z',
                        next_attempt_at: '2026-11-20T21:08:05.700Z',
                        status: 503,
                        reason: 'The endpoint refused the delivery.',
                    },
                ],
            },
        },
    },
    'webhooks.replay': {
        refusals: {
            not_found: 'The account has no webhook with this id, or no such event.',
            conflict:
                'The webhook is paused or disabled or does not take events of this type, too many of its deliveries wait, or another replay is under way.',
        },
        owasp: { objects: 'own', slowedBy: 'rate' },
        fields: {
            event_id: 'The event to send. Without it, `from` and `to` are given.',
            from: 'Events that happened from this time on (ISO 8601).',
            to: 'Events that happened before this time (ISO 8601).',
        },
        example: {
            params,
            body: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' },
            data: params,
        },
    },
} satisfies Record<string, OperationNotes>;
