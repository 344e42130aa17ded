import { z } from 'zod';
import type { NewUser } from '../../proto/gen/identity/v1/identity.ts';
import { MAX_USERS } from '../../proto/limits.ts';
import type { Tier } from '../../proto/tiers.ts';
import { endpoint } from '../endpoint.ts';
import { auditLine, auditPages } from '../exports/audit.ts';
import { LineStream } from '../exports/line-stream.ts';
import { anyItem, listOf, optional } from '../fields.ts';

/** Time limit for a batch of 1,000 users, in milliseconds. Each user needs a password hash. Beyond it: `deadline`. */
const BATCH_TIMEOUT_MS = 120_000;

const number = z.number();

const user = z.object({
    email: z.string(),
    password: z.string(),
    name: optional(z.string()),
    tier: optional(z.string()),
});

/** Validates one item. An invalid item is passed on with the reason, and the answer lists it among the failed ones. */
function userOrReason(item: unknown): NewUser {
    const parsed = user.safeParse(item);
    if (parsed.success) return { ...parsed.data, malformed: undefined };
    const { email } = z
        .object({ email: z.string().catch('') })
        .catch({ email: '' })
        .parse(item);
    const field = parsed.error.issues[0]?.path.join('.');
    const malformed = field ? `${field} is missing or of the wrong type.` : 'The item must be an object.';
    return { email, password: undefined, name: undefined, tier: undefined, malformed };
}

export const internalAdminEndpoints = [
    endpoint({
        id: 'internal.admin.create_users',
        summary: 'Create up to 1,000 users',
        description:
            'One invalid user does not affect the others. The answer is 200, and lists the users that failed with the reason.',
        method: 'POST',
        path: '/internal/v1/admin/users/batch',
        access: 'internal',
        status: 200,
        message: 'Users created',
        byKey: true,
        hashesPassword: true,
        batch: 'users',
        timeout_ms: BATCH_TIMEOUT_MS,
        body: z.object({
            users: listOf(anyItem(user), { min: 1, max: MAX_USERS }),
        }),
        answer: z.object({
            created: z.array(z.object({ user_id: z.string(), email: z.string(), tier: z.string() })),
            failed: z.array(z.object({ email: z.string(), error: z.string() })),
            total_created: number,
            total_failed: number,
        }),
        async call({ body, services, context }) {
            const users = body.users.map(userOrReason);
            const { created, failed } = await services.identity.createUsers({ users }, context);
            return { created, failed, total_created: created.length, total_failed: failed.length };
        },
    }),

    endpoint({
        id: 'internal.admin.stats',
        summary: 'Get platform statistics',
        method: 'GET',
        path: '/internal/v1/admin/stats',
        access: 'internal',
        status: 200,
        message: 'Platform statistics',
        answer: z.object({
            users: z.object({
                total: number,
                active_today: number,
                active_this_week: number,
                by_tier: z.object({ free: number, basic: number, pro: number, enterprise: number }),
            }),
            dids: z.object({ total_created: number }),
            credentials: z.object({ total_issued: number, total_revoked: number, active: number }),
            presentations: z.object({ total_created: number, total_verified: number }),
            api_usage: z.object({ requests_today: number, requests_this_week: number }),
        }),
        async call({ services, context }) {
            const counts = await services.usage.getPlatformStatistics({}, context);
            const byTier = {
                free: counts.users_free,
                basic: counts.users_basic,
                pro: counts.users_pro,
                enterprise: counts.users_enterprise,
            } satisfies Record<Tier, number>;
            return {
                users: {
                    total: Object.values(byTier).reduce((sum, count) => sum + count, 0),
                    active_today: counts.users_active_today,
                    active_this_week: counts.users_active_this_week,
                    by_tier: byTier,
                },
                dids: { total_created: counts.dids_created },
                credentials: {
                    total_issued: counts.credentials_issued,
                    total_revoked: counts.credentials_revoked,
                    active: counts.credentials_issued - counts.credentials_revoked,
                },
                presentations: {
                    total_created: counts.presentations_created,
                    total_verified: counts.presentations_verified,
                },
                api_usage: { requests_today: counts.requests_today, requests_this_week: counts.requests_this_week },
            };
        },
    }),

    endpoint({
        id: 'internal.admin.audit',
        summary: 'Export the audit',
        description:
            'All events of all accounts, as lines of JSON (`application/x-ndjson`), each with its `kind`: `audit`, `row`, `seal`, `checkpoint`, and at last `end`. Rows and seals are the leaves of a Merkle tree (RFC 6962), and checkpoints are its signed heads (`c2sp.org/tlog-checkpoint`), one an hour if something was appended. `cred audit verify` checks them offline. Without the line `end` the export is not complete. Each gateway writes one at a time.',
        method: 'GET',
        path: '/internal/v1/audit',
        access: 'internal',
        status: 200,
        message: 'Audit',
        streams: true,
        query: z.object({ from: z.string().optional(), to: z.string().optional() }),
        answer: auditLine,
        async call({ query: { from, to }, services }) {
            return new LineStream((context) => auditPages(services, { from, to }, context));
        },
    }),
];
