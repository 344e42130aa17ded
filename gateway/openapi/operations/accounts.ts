import type { OperationNotes } from '../operation.ts';
import { ACCESS_TOKEN, REFRESH_TOKEN, USER_ID } from '../samples.ts';
import { EVENT_TYPE } from './events.ts';

const email = 'ada@example.com';
const password = 'a long pass phrase';
const user = { user_id: USER_ID, email, name: 'Ada', tier: 'free', created_at: '2026-11-20T21:07:22.705Z' };
const lastLoginAt = '2026-11-20T21:07:22.915Z';
const session = { token: ACCESS_TOKEN, refresh_token: REFRESH_TOKEN, expires_at: '2026-11-21T09:07:22.000Z' };
const guessing =
    'The rate limit is exceeded, or too many wrong passwords were tried. `Retry-After` says how long to wait.';

export const accountOperations = {
    'me.get': {
        owasp: { objects: 'own' },
        fields: {
            stats: 'Counts of the account.',
            dids_created: 'DIDs created.',
            credentials_issued: 'Credentials issued.',
            presentations_created: 'Presentations created.',
            api_keys_active: 'API keys that are not revoked.',
        },
        example: {
            data: {
                ...user,
                last_login_at: lastLoginAt,
                stats: { dids_created: 2, credentials_issued: 1, presentations_created: 1, api_keys_active: 1 },
            },
        },
    },
    'me.update': {
        refusals: { conflict: 'Another account has this email.' },
        owasp: { objects: 'own' },
        example: {
            body: { name: 'Ada Lovelace' },
            data: { user_id: USER_ID, email, name: 'Ada Lovelace', updated_at: '2026-11-20T21:20:00.000Z' },
        },
    },
    'me.change_password': {
        refusals: {
            unauthenticated: 'The session token is missing or not valid, or the current password is wrong.',
            rate_limited: guessing,
        },
        owasp: { objects: 'own', presents: 'password' },
        fields: {
            current_password: 'The current password.',
            new_password: 'The new password: at least 8 characters.',
            changed_at: 'When it was changed.',
        },
        example: {
            body: { current_password: password, new_password: 'a longer pass phrase' },
            data: { changed_at: '2026-11-20T21:20:00.000Z' },
        },
    },
    'me.delete': {
        refusals: {
            unauthenticated: 'The session token is missing or not valid, or the password is wrong.',
            not_found: 'Another call has erased the account meanwhile.',
            rate_limited: guessing,
        },
        owasp: { objects: 'own', presents: 'password' },
        fields: {
            confirm: 'Must be `delete`.',
            erased_at: 'When the account was erased.',
        },
        example: {
            body: { password, confirm: 'delete' },
            data: { user_id: USER_ID, erased_at: '2026-11-20T21:20:00.000Z' },
        },
    },
    'me.quotas': {
        owasp: { objects: 'own' },
        fields: {
            quotas: 'For each kind of object, how much the account stores and how much it may store.',
            used: 'How much the account stores.',
            quota: 'How much the account may store in its tier.',
            credentials: 'Credentials that the account has issued, including revoked ones. Its quota is approximate.',
            presentations: 'Presentations that the account has created. Their quota is approximate.',
            dids: 'DIDs that the account has created and registered. Their quota is approximate.',
            wallets: 'Wallets of the account. Their quota is approximate.',
            issuers: 'Managed issuers, including archived ones.',
            wallet_credentials: 'Credentials in all wallets of the account. Their quota is approximate.',
            wallet_bytes:
                'Sealed size of the credentials in all wallets of the account, in bytes. Its quota is approximate.',
            active_api_keys: 'API keys that are not revoked.',
            api_keys: 'API keys, including revoked ones.',
            webhooks: 'Webhooks of the account.',
            offers: 'Offers of the account.',
            sessions: 'Open sessions. A login beyond the quota ends the oldest session.',
        },
        example: {
            data: {
                tier: 'free',
                quotas: {
                    credentials: { used: 3, quota: 10_000_000 },
                    presentations: { used: 1, quota: 10_000_000 },
                    dids: { used: 2, quota: 10_000 },
                    issuers: { used: 1, quota: 20 },
                    wallets: { used: 1, quota: 1_000 },
                    wallet_credentials: { used: 1, quota: 10_000 },
                    wallet_bytes: { used: 740, quota: 268_435_456 },
                    active_api_keys: { used: 1, quota: 20 },
                    api_keys: { used: 1, quota: 10_000 },
                    sessions: { used: 1, quota: 200 },
                    webhooks: { used: 1, quota: 5 },
                    offers: { used: 1, quota: 100 },
                },
            },
        },
    },
    'me.stats': {
        owasp: { objects: 'own' },
        example: {
            data: {
                period: '2026-11',
                dids: { total: 2, created_this_month: 2 },
                credentials: { total_issued: 5, issued_this_month: 3, total_revoked: 1, total_active: 4 },
                presentations: { total_created: 1, created_this_month: 1, total_verified: 1 },
                api_usage: { requests_this_month: 240, requests_today: 14, rate_limit_hits: 0 },
                wallets: { total: 1, credentials_stored: 1 },
            },
        },
    },
    'me.export': {
        refusals: { rate_limited: 'The rate limit is exceeded, or an export of the account is under way.' },
        owasp: { objects: 'own' },
        fields: {
            kind: 'What the line is about.',
            version: 'Version of the form of an export.',
            ended_at: 'When the session was ended. Absent if it was not.',
            origin: 'Whether the service made its key, for the account or for a wallet, or the account registered it.',
            contents: '`sealed`: only the password of the wallet opens it.',
            counts: 'The number of lines of each kind.',
            type: EVENT_TYPE,
        },
        example: { data: { kind: 'user', ...user, last_login_at: lastLoginAt } },
    },
    'internal.auth.register': {
        refusals: { conflict: 'An account with this email already exists.', rate_limited: guessing },
        owasp: { objects: 'none', slowedBy: 'trusted' },
        example: { body: { email, password, name: 'Ada' }, data: user },
    },
    'internal.auth.login': {
        refusals: { unauthenticated: 'The email or the password is wrong.', rate_limited: guessing },
        owasp: { objects: 'none', presents: 'password' },
        example: {
            body: { email, password },
            data: { user_id: USER_ID, email, name: 'Ada', tier: 'free', ...session },
        },
    },
    'internal.auth.logout': {
        owasp: { objects: 'own', presents: 'token' },
        fields: { logged_out_at: 'When the session ended.' },
        example: { body: { token: ACCESS_TOKEN }, data: { logged_out_at: '2026-11-20T21:30:00.000Z' } },
    },
    'internal.auth.refresh': {
        refusals: {
            unauthenticated:
                'The internal secret is missing or wrong, or the refresh token is already used, expired or not valid.',
        },
        owasp: { objects: 'own', presents: 'token' },
        example: { body: { refresh_token: REFRESH_TOKEN }, data: session },
    },
    'internal.auth.me': {
        refusals: { unauthenticated: 'The internal secret or the session token is missing or not valid.' },
        owasp: { objects: 'own' },
        example: { data: { ...user, last_login_at: lastLoginAt } },
    },
} satisfies Record<string, OperationNotes>;
