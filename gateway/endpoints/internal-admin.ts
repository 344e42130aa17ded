import { z } from 'zod';
import type { NewUser } from '../../proto/gen/identity/v1/identity.ts';
import { MAX_USERS } from '../../proto/limits.ts';
import { endpoint } from '../endpoint.ts';
import { listOf, optional } from '../fields.ts';

/** Time limit for a batch of 1,000 users, in milliseconds. Each user needs a password hash. */
const BATCH_TIMEOUT_MS = 120_000;

const user = z.object({
    email: z.string(),
    password: z.string(),
    name: optional(z.string()),
    tier: optional(z.string()),
});

const { $schema: _, ...userShape } = z.toJSONSchema(user, { io: 'input' });
/**
 * Accepts any value, because one invalid item must not fail the batch. The OpenAPI document shows the strict schema.
 */
const anyItem = z.unknown().meta(userShape);

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
        method: 'POST',
        path: '/internal/v1/admin/users/batch',
        access: 'internal',
        status: 200,
        message: 'Users created',
        hashesPassword: true,
        timeout_ms: BATCH_TIMEOUT_MS,
        body: z.object({
            users: listOf(anyItem, { min: 1, max: MAX_USERS }),
        }),
        answer: z.object({
            created: z.array(z.object({ user_id: z.string(), email: z.string(), tier: z.string() })),
            failed: z.array(z.object({ email: z.string(), error: z.string() })),
            total_created: z.number(),
            total_failed: z.number(),
        }),
        async call({ body, services, context }) {
            const users = body.users.map(userOrReason);
            const { created, failed } = await services.identity.createUsers({ users }, context);
            return { created, failed, total_created: created.length, total_failed: failed.length };
        },
    }),
];
