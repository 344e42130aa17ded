import type { OperationNotes } from '../operation.ts';
import { OTHER_USER_ID } from '../samples.ts';

export const administrationOperations = {
    'internal.admin.stats': {
        summary: 'Get platform statistics',
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
    'internal.health': {
        summary: 'Get the health of the service',
        description: 'The answer has no envelope. While a dependency is down, it is 200 with `status: degraded`.',
        example: {
            data: {
                status: 'healthy',
                version: '0.1.0',
                timestamp: '2026-11-20T21:07:23.297Z',
                services: { database: 'up', cache: 'up', storage: 'up' },
            },
        },
    },
} satisfies Record<string, OperationNotes>;
