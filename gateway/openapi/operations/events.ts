import { EVENT_TYPES } from '../../../proto/event-types.ts';
import { MAX_PAGE_ROWS } from '../../../proto/limits.ts';
import type { OperationNotes } from '../operation.ts';
import { CREDENTIAL_ID, ISSUER_DID } from '../samples.ts';

export const EVENT_ID = '0b1f3c5e-7d92-4a68-9c04-5e2f8a1b6d37.42';

/** The type of an event. */
export const EVENT_TYPE = { description: 'What has happened.', enum: EVENT_TYPES };

export const eventOperations = {
    'events.list': {
        summary: 'List events',
        description:
            'What has happened to the objects of the account, oldest first. Each event has the next number, without gaps. Call again with `after` set to the `next` of the answer: while there are no new events, `events` is empty and `next` stays the same. An event is listed about a second after what it reports, and is kept for 400 days.',
        owasp: { objects: 'own' },
        fields: {
            limit: {
                description: 'Maximum number of events. Default: 100.',
                schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_ROWS },
            },
            types: `Only events of these types, separated by commas. Default: all of ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
            events: 'Events, oldest first.',
            type: EVENT_TYPE,
            next: 'The `after` of the next call.',
        },
        example: {
            query: { after: '41', types: 'credential.issued,credential.revoked', limit: '100' },
            data: {
                events: [
                    {
                        event_id: EVENT_ID,
                        seq: 42,
                        type: 'credential.issued',
                        timestamp: '2026-11-20T21:07:22.961Z',
                        data: { credential_id: CREDENTIAL_ID, issuer_did: ISSUER_DID },
                    },
                ],
                next: 42,
            },
        },
    },
} satisfies Record<string, OperationNotes>;
