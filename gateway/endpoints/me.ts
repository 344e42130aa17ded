import { z } from 'zod';
import type { User } from '../../proto/gen/identity/v1/identity.ts';
import { endpoint } from '../endpoint.ts';
import { name, optional } from '../fields.ts';

export const userFields = {
    user_id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    tier: z.string(),
    created_at: z.string(),
};

export function userOf({ user_id, email, name, tier, created_at }: User) {
    return { user_id, email, name: name ?? null, tier, created_at };
}

export const meEndpoints = [
    endpoint({
        id: 'me.get',
        method: 'GET',
        path: '/v1/me',
        access: 'session',
        status: 200,
        message: 'Current user',
        answer: z.object({
            ...userFields,
            last_login_at: z.string().nullable(),
            stats: z.object({
                dids_created: z.number(),
                credentials_issued: z.number(),
                presentations_created: z.number(),
                api_keys_active: z.number(),
            }),
        }),
        async call({ services, context }) {
            const [user, counts] = await Promise.all([
                services.identity.getUser({}, context),
                services.usage.getCounts({}, context),
            ]);
            const { dids_created, credentials_issued, presentations_created, api_keys_active } = counts;
            const stats = { dids_created, credentials_issued, presentations_created, api_keys_active };
            return { ...userOf(user), last_login_at: user.last_login_at ?? null, stats };
        },
    }),

    endpoint({
        id: 'me.update',
        method: 'PATCH',
        path: '/v1/me',
        access: 'session',
        status: 200,
        message: 'Account updated',
        // A name of null removes the name. In other fields null means the same as a missing field.
        body: z.object({ name: name.nullish(), email: optional(z.string()) }),
        answer: z.object({
            user_id: z.string(),
            email: z.string(),
            name: z.string().nullable(),
            updated_at: z.string(),
        }),
        async call({ body: { name, email }, services, context }) {
            const change = { email, name: name ?? undefined, clear_name: name === null };
            const { name: current, ...user } = await services.identity.updateUser(change, context);
            return { ...user, name: current ?? null };
        },
    }),

    endpoint({
        id: 'me.change_password',
        method: 'POST',
        path: '/v1/me/password',
        access: 'session',
        status: 200,
        message: 'Password changed',
        hashesPassword: true,
        body: z.object({ current_password: z.string(), new_password: z.string() }),
        answer: z.object({ changed_at: z.string() }),
        call: ({ body, services, context }) => services.identity.changePassword(body, context),
    }),
];
