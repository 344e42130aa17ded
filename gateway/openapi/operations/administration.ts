import type { OperationNotes } from '../operation.ts';
import { HOLDER_DID, OTHER_USER_ID } from '../samples.ts';

const suspensionFields = {
    reason: 'Why, for other operators: at most 500 characters. Null if no reason was given.',
} as const;

export const administrationOperations = {
    'internal.admin.stats': {
        owasp: { objects: 'none' },
        fields: {
            by_tier: 'Accounts by tier.',
            free: 'Accounts of this tier.',
            basic: 'Accounts of this tier.',
            pro: 'Accounts of this tier.',
            enterprise: 'Accounts of this tier.',
            requests_this_week: 'Requests of today and the six days before, in UTC.',
            active_today: 'Accounts with a login or a call since 00:00 UTC.',
            active_this_week: 'Accounts with a login or a call today or in the six days before, in UTC.',
            active: 'Number issued and not revoked.',
        },
        example: {
            data: {
                users: {
                    total: 13,
                    active_today: 4,
                    active_this_week: 7,
                    by_tier: { free: 8, basic: 3, pro: 2, enterprise: 0 },
                },
                dids: { total_created: 21 },
                credentials: { total_issued: 55, total_revoked: 5, active: 50 },
                presentations: { total_created: 34, total_verified: 8 },
                api_usage: { requests_today: 144, requests_this_week: 987 },
            },
        },
    },
    'internal.admin.create_users': {
        owasp: { objects: 'none', slowedBy: 'trusted' },
        fields: {
            total_failed: 'Number of accounts that could not be created.',
            created: 'Accounts that were created.',
            failed: 'Accounts that could not be created, with the reason.',
            error: 'Why the account could not be created.',
        },
        example: {
            body: {
                users: [
                    { email: 'grace@example.com', password: 'another pass phrase', name: 'Grace', tier: 'pro' },
                    { email: 'ada@example.com', password: 'another pass phrase' },
                ],
            },
            data: {
                created: [{ user_id: OTHER_USER_ID, email: 'grace@example.com', tier: 'pro' }],
                failed: [{ email: 'ada@example.com', error: 'This email is already registered.' }],
                total_created: 1,
                total_failed: 1,
            },
        },
    },
    'internal.admin.import_users': {
        refusals: {
            invalid: 'A header is invalid, or the body has no lines.',
            too_large: 'The body is over 64 MiB.',
            unsupported_media_type: 'The body is not declared as `application/x-ndjson`, or it has a content coding.',
            unavailable: 'Two imports are under way, or a dependency is unavailable.',
        },
        owasp: { objects: 'none', slowedBy: 'trusted' },
        fields: {
            password_hash:
                'A PHC string: `argon2id` (m from 512 to 262,144, t to 10, p to 16), `scrypt` (ln from 10, less than 16 × r, and 2^ln × r × p to 2^21) or `pbkdf2-sha256` (i from 1,000 to 2,000,000), with a salt of 8 to 48 bytes and a hash of 16 to 64.',
            line: 'Number of the line, from 1.',
            status: '`created` or `refused`.',
            error: 'Why the line was refused. Absent if it was not.',
            user_id: 'Identifies the new account. Absent if the line was refused.',
        },
        example: {
            body: {
                users: [
                    {
                        email: 'grace@example.com',
                        password_hash:
                            '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
                        name: 'Grace',
                        tier: 'pro',
                    },
                ],
            },
            data: { results: [{ line: 1, status: 'created', user_id: OTHER_USER_ID }] },
        },
    },
    'internal.admin.suspend_user': {
        owasp: { objects: 'none' },
        fields: suspensionFields,
        example: {
            params: { user_id: OTHER_USER_ID },
            body: { reason: 'Its API key was published.' },
            data: {
                user_id: OTHER_USER_ID,
                suspended: true,
                suspended_at: '2026-11-24T08:30:00.000Z',
                reason: 'Its API key was published.',
            },
        },
    },
    'internal.admin.restore_user': {
        owasp: { objects: 'none' },
        fields: suspensionFields,
        example: {
            params: { user_id: OTHER_USER_ID },
            data: { user_id: OTHER_USER_ID, suspended: false, suspended_at: null, reason: null },
        },
    },
    'internal.health': {
        owasp: { objects: 'none' },
        fields: {
            status: '`degraded` while a dependency is down, otherwise `healthy`.',
            version: 'Version of the running service.',
            timestamp: { description: 'When the health was checked.', format: 'date-time' },
            services: 'State of each dependency.',
            database: 'State of PostgreSQL.',
            cache: 'State of Redis.',
            storage: 'State of the storage of credentials.',
        },
        example: {
            data: {
                status: 'healthy',
                version: '0.1.0',
                timestamp: '2026-11-20T21:07:23.297Z',
                services: { database: 'up', cache: 'up', storage: 'up' },
            },
        },
    },
    'internal.subjects.erase': {
        owasp: { objects: 'none' },
        fields: {
            done: 'False: there is more. Repeat the call until it is true.',
        },
        example: {
            body: { subject_did: HOLDER_DID },
            data: { subject_did: HOLDER_DID, done: true },
        },
    },
} satisfies Record<string, OperationNotes>;
