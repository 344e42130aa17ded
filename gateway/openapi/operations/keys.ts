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
const RESTRICTIONS =
    'A restriction is an end (`expires_at`, at most ten years ahead), a list of scopes, or a list of networks in CIDR notation. A key without one is not restricted in this way, and answers then leave the field out.';

export const keyOperations = {
    'keys.generate': {
        summary: 'Generate an API key',
        description: `Only this answer contains the complete key, because the service stores only its hash. ${RESTRICTIONS}`,
        refusals: { forbidden: "The account has reached its limit of keys, or the tier is above the account's tier." },
        owasp: { objects: 'none', slowedBy: 'key limit' },
        fields: { api_key: 'The complete key, for `Authorization: Bearer`. It is shown only once.' },
        example: {
            body: { name: 'build server', tier: 'pro', ...restrictions },
            data: { ...created, ...restrictions },
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
        fields: { usage: 'Number of calls with this key, at most two seconds late.' },
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
    'keys.update': {
        summary: 'Change an API key',
        formerId: 'keys.rename',
        idempotent: true,
        description: `Changes the name or the restrictions of a key. \`null\` removes a restriction. A change is in force at once: it holds for every call that begins after the answer. An expired key with a later \`expires_at\` is active again. After 503 the change may be made, but not every gateway may know it yet: repeat the call. A repeated call gets the same answer. ${RESTRICTIONS}`,
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
        summary: 'Rotate an API key',
        description:
            'Creates a key that replaces this one, with the same name, tier and restrictions. Both keys work during the overlap, so that callers can change over without a failed call. Then the old key ends, or earlier if it expires earlier. The two keys count as one active key and share a rate limit. A key that the old one has replaced ends at once. Only this answer contains the complete new key.',
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
        summary: 'Check an API key',
        description:
            "Decides whether an API key may make a call of another service, and counts the call against the key's rate limit. A key that may not make the call is `valid: false` with a `code`, and is not charged. A key with `allowed_addresses` is checked for the address in `X-Client-Address` or, without that field, for the address of this request.",
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
