import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { limit } from '../fields.ts';

/** Number of events in an answer unless the caller says otherwise. */
const DEFAULT_LIMIT = 100;

const query = z.object({
    after: z
        .string()
        .regex(/^\d{1,15}$/, 'must be the number of an event, or 0')
        .transform(Number)
        .optional(),
    types: z
        .string()
        .transform((text) => text.split(','))
        .optional(),
    limit: limit.optional(),
});

export const event = z.object({
    event_id: z.string(),
    seq: z.number(),
    type: z.string(),
    timestamp: z.string(),
    data: z.object({
        credential_id: z.string().optional(),
        issuer_did: z.string().optional(),
        key_id: z.string().optional(),
        successor_id: z.string().optional(),
        issuer_id: z.string().optional(),
        kid: z.string().optional(),
        wallet_id: z.string().optional(),
        session_id: z.string().optional(),
        webhook_id: z.string().optional(),
        offer_id: z.string().optional(),
        notification: z.string().optional(),
    }),
});
const answer = z.object({ events: z.array(event), next: z.number() });

export const eventEndpoints = [
    endpoint({
        id: 'events.list',
        summary: 'List events',
        description:
            'What has happened to the objects of the account, oldest first. Each event has the next number, without gaps. Call again with `after` set to the `next` of the answer: while there are no new events, `events` is empty and `next` stays the same. An event is listed about a second after what it reports, and is kept for 400 days.',
        method: 'GET',
        path: '/v1/events',
        access: 'bearer',
        scope: 'events:read',
        hasTag: true,
        status: 200,
        message: 'Events',
        query,
        answer,
        async call({ query: { after = 0, types = [], limit = DEFAULT_LIMIT }, services, context }) {
            const { events, next } = await services.events.listEvents({ after, types, limit }, context);
            return { events: events.map(({ data = {}, ...event }) => ({ ...event, data })), next };
        },
    }),
];
