import { EVENT_TYPES } from '../../../proto/event-types.ts';
import { MAX_PAGE_ROWS } from '../../../proto/limits.ts';
import type { OperationNotes } from '../operation.ts';
import { CREDENTIAL_ID, ISSUER_DID } from '../samples.ts';

export const EVENT_ID = '0b1f3c5e-7d92-4a68-9c04-5e2f8a1b6d37.42';

/** The type of an event. */
export const EVENT_TYPE = { description: 'What has happened.', enum: EVENT_TYPES };

export const eventOperations = {
    'events.list': {
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
    'internal.admin.audit': {
        refusals: { rate_limited: 'An export is under way.' },
        owasp: { objects: 'none', slowedBy: 'trusted' },
        fields: {
            from: 'Begin at the last checkpoint before this time. Default: with the first event that is kept.',
            to: 'End with what was sealed at this time. Default: now.',
            kind: 'What the line is.',
            version: 'Version of the form of an audit.',
            start: 'The number of the first leaf.',
            edge: 'The roots of the largest complete subtrees before it, 32 bytes each.',
            leaf: 'The number of the leaf.',
            account: 'The account.',
            last_seq: 'The number (`seq`) of the last event of the row in the stream of the account.',
            count: 'Number of events in the row.',
            type: EVENT_TYPE,
            actor: 'Who has caused the events: `key:` or `session:` with its id; `trusted`, a caller with the internal secret; `service`, the service itself; `wallet`, the wallet that has taken an offer; `unnamed`, a caller that has named none of these. `@` and an account follow if the caller acted for another one than that of the events. Absent: an earlier release has written them.',
            request_id: 'The id of the request (`X-Request-Id`), if it is not that of the event before it in the row.',
            data_sha256: 'SHA-256 of the data, which stays when the account is erased.',
            hash: 'The hash of the leaf, in hexadecimal.',
            data: 'The data of each event. They are empty if the account is erased.',
            checkpoint: 'The size of the last checkpoint before it; 0 if there is none.',
            sealed_at: 'When the rows since the seal before were appended.',
            root: 'The root of the tree that ends with this leaf.',
            size: 'Number of leaves.',
            note: 'The signed checkpoint.',
        },
        example: {
            query: { from: '2026-11-01T00:00:00Z' },
            data: {
                kind: 'seal',
                leaf: 1_041,
                checkpoint: 1_024,
                sealed_at: '2026-11-20T21:07:23.104Z',
                hash: '5f1d3b0c2a7e49869f0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5',
                root: 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=',
            },
        },
    },
} satisfies Record<string, OperationNotes>;
