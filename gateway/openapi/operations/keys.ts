import type { OperationNotes } from '../operation.ts';
import { API_KEY, KEY_ID, KEY_PREFIX } from '../samples.ts';

const key = {
    key_id: KEY_ID,
    name: 'build server',
    key_prefix: KEY_PREFIX,
    tier: 'pro',
    rate_limit: 1_000,
    created_at: '2026-11-20T21:07:22.940Z',
    last_used_at: '2026-11-20T21:07:23.113Z',
    active: true,
};
const refusals = { not_found: 'The account has no key with this id.' };

export const keyOperations = {
    'keys.generate': {
        summary: 'Generate an API key',
        description: 'Only this answer contains the complete key, because the service stores only its hash.',
        refusals: { forbidden: "The account has reached its limit of keys, or the tier is above the account's tier." },
        owasp: { objects: 'none', slowedBy: 'key limit' },
        fields: { api_key: 'The complete key, for `Authorization: Bearer`. It is shown only once.' },
        example: {
            body: { name: 'build server', tier: 'pro' },
            data: {
                key_id: KEY_ID,
                api_key: API_KEY,
                name: 'build server',
                tier: 'pro',
                rate_limit: 1_000,
                created_at: '2026-11-20T21:07:22.940Z',
                last_used_at: null,
            },
        },
    },
    'keys.list': {
        summary: 'List API keys',
        description: 'Newest first, including revoked keys.',
        owasp: { objects: 'own' },
        fields: { keys: 'API keys, newest first.' },
        example: { query: { limit: '100' }, data: { keys: [key], total: 1 } },
    },
    'keys.get': {
        summary: 'Get an API key',
        refusals,
        owasp: { objects: 'own' },
        fields: { usage: 'Number of calls with this key.' },
        example: {
            params: { key_id: KEY_ID },
            data: { ...key, usage: { requests_today: 9, requests_this_month: 240 } },
        },
    },
    'keys.revoke': {
        summary: 'Revoke an API key',
        idempotent: true,
        description:
            'A revocation is permanent and takes effect at once: a call with the key that begins after the answer is refused. A repeated revocation gets the same answer as the first one.',
        refusals,
        owasp: { objects: 'own' },
        example: {
            params: { key_id: KEY_ID },
            data: { key_id: KEY_ID, revoked_at: '2026-11-20T21:30:00.000Z' },
        },
    },
    'keys.rename': {
        summary: 'Rename an API key',
        refusals,
        owasp: { objects: 'own' },
        example: {
            params: { key_id: KEY_ID },
            body: { name: 'release server' },
            data: { key_id: KEY_ID, name: 'release server', updated_at: '2026-11-20T21:20:00.000Z' },
        },
    },
} satisfies Record<string, OperationNotes>;
