import type { OperationNotes } from '../operation.ts';
import { HOLDER_DID, OTHER_USER_ID } from '../samples.ts';

const suspensionFields = {
    reason: 'Why, for other operators: at most 500 characters. Null if no reason was given.',
} as const;

export const administrationOperations = {
    'internal.admin.stats': {
        summary: 'Get platform statistics',
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
        summary: 'Create up to 1,000 users',
        description:
            'One invalid user does not affect the others. The answer is 200, and lists the users that failed with the reason.',
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
        summary: 'Import users with their password hashes',
        description:
            'Body and answer are `application/x-ndjson`: a line of JSON for each user, in the same order. One line that is refused does not affect the others. An import may have 100,000 lines of 8 KiB, 64 MiB in all, and take ten minutes; a gateway works on two at a time. Read the answer while you send. If it ends before the last line, send the import again: it refuses the users that exist. The first login replaces the hash with one of the service.',
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
        summary: 'Suspend an account',
        description:
            'From the next call on, every gateway refuses the sessions and API keys of the account with 403, and a login too. Nothing is deleted: DID documents and status lists stay public, and credentials stay valid. A trusted caller can still act for the account, for instance to revoke its credentials. An account that is suspended already keeps its time and its reason.',
        idempotent: true,
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
        summary: 'Restore a suspended account',
        description:
            'Its sessions and API keys work again, unless they have ended for another reason. An account that is not suspended stays as it is.',
        idempotent: true,
        owasp: { objects: 'none' },
        fields: suspensionFields,
        example: {
            params: { user_id: OTHER_USER_ID },
            data: { user_id: OTHER_USER_ID, suspended: false, suspended_at: null, reason: null },
        },
    },
    'internal.health': {
        summary: 'Get the health of the service',
        description: 'The answer has no envelope. While a dependency is down, it is 200 with `status: degraded`.',
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
        summary: 'Erase the subject of credentials',
        description:
            'Replaces the DID of a person in all credentials and presentations by `did:invalid:erased`, removes the types and reasons of revocation of these credentials, and removes the DID if a client has registered it. What says whether a credential is valid stays: a revoked one stays revoked. Tokens that are in use elsewhere, and what wallets contain, do not change. The owner of an account erases it with `DELETE /v1/me`.',
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
