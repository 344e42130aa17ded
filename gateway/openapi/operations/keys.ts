import { CHECK_CODES } from '../../../proto/check-codes.ts';
import type { OperationNotes } from '../operation.ts';
import { ANOTHER_KEY_ID, API_KEY, KEY_ID, KEY_PREFIX, USER_ID } from '../samples.ts';

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
const created = {
    key_id: KEY_ID,
    api_key: API_KEY,
    name: 'build server',
    tier: 'pro',
    rate_limit: 1_000,
    created_at: '2026-11-20T21:07:22.940Z',
    last_used_at: null,
};
const refusals = { not_found: 'The account has no key with this id.' };
const restrictions = {
    expires_at: '2027-11-20T21:07:22.000Z',
    scopes: ['credentials:issue', 'dids:*'],
    allowed_addresses: ['203.0.113.0/24', '2001:db8::/32'],
};

export const keyOperations = {
    'keys.generate': {
        refusals: { forbidden: "The account has reached its limit of keys, or the tier is above the account's tier." },
        owasp: { objects: 'none', slowedBy: 'key limit' },
        fields: { api_key: 'The complete key, for `Authorization: Bearer`. It is shown only once.' },
        example: {
            body: { name: 'build server', tier: 'pro', ...restrictions },
            data: { ...created, ...restrictions },
        },
    },
    'keys.list': {
        owasp: { objects: 'own' },
        fields: { keys: 'API keys, newest first.' },
        example: { query: { limit: '100' }, data: { keys: [key], total: 1 } },
    },
    'keys.get': {
        refusals,
        owasp: { objects: 'own' },
        fields: { usage: 'Number of calls with this key, at most two seconds late.' },
        example: {
            params: { key_id: KEY_ID },
            data: { ...key, usage: { requests_today: 9, requests_this_month: 240 } },
        },
    },
    'keys.revoke': {
        refusals,
        owasp: { objects: 'own' },
        example: {
            params: { key_id: KEY_ID },
            data: { key_id: KEY_ID, revoked_at: '2026-11-20T21:30:00.000Z' },
        },
    },
    'keys.update': {
        formerId: 'keys.rename',
        refusals: {
            ...refusals,
            forbidden: 'An expired key would be active again, but the account has reached its limit of keys.',
            conflict: 'The key has been replaced, and `expires_at` would become later.',
        },
        owasp: { objects: 'own' },
        example: {
            params: { key_id: KEY_ID },
            body: { name: 'release server', scopes: ['credentials:verify'], allowed_addresses: null },
            data: {
                key_id: KEY_ID,
                name: 'release server',
                updated_at: '2026-11-20T21:20:00.000Z',
                scopes: ['credentials:verify'],
            },
        },
    },
    'keys.rotate': {
        refusals: {
            ...refusals,
            forbidden: 'The account has reached its quota of keys, revoked ones included.',
            conflict: 'The key is revoked, has expired or has been replaced already.',
        },
        owasp: { objects: 'own', slowedBy: 'key limit' },
        fields: {
            key_id: 'Id of the new key. In the path: id of the key to replace.',
            api_key: 'The complete new key, for `Authorization: Bearer`. It is shown only once.',
            overlap_seconds: 'Seconds for which the old key still works. With 0 it is revoked at once.',
            replaces: 'The old key, and when it ends.',
        },
        example: {
            params: { key_id: KEY_ID },
            body: { overlap_seconds: 3_600 },
            data: {
                ...created,
                key_id: ANOTHER_KEY_ID,
                replaces: { key_id: KEY_ID, expires_at: '2026-11-20T22:07:22.940Z' },
            },
        },
    },
    'internal.keys.verify': {
        owasp: { objects: 'none', presents: 'token' },
        fields: {
            api_key: 'The API key, as the caller of the other service has sent it.',
            scope: 'The scope that the call needs. Without it, the key needs none.',
            cost: 'How many calls it counts as. 0 checks the key without counting a call.',
            valid: 'Whether the key may make the call.',
            code: { description: 'The outcome.', enum: CHECK_CODES },
            scopes: 'The scopes of the key. Absent if it may be used for everything.',
            limit: {
                description:
                    'Requests per minute. Absent, like `remaining` and `reset`, if another refusal came first.',
                schema: { type: 'integer', minimum: 1 },
            },
            remaining: 'Requests left in this window.',
            reset: 'When the window ends: Unix time, in seconds.',
        },
        example: {
            body: { api_key: API_KEY, scope: 'credentials:issue', cost: 1 },
            data: {
                valid: true,
                code: 'valid',
                key_id: KEY_ID,
                user_id: USER_ID,
                tier: 'pro',
                limit: 1_000,
                remaining: 999,
                reset: 1_795_208_902,
            },
        },
    },
} satisfies Record<string, OperationNotes>;
