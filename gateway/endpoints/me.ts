import { z } from 'zod';
import type { User } from '../../proto/gen/identity/v1/identity.ts';
import { endpoint } from '../endpoint.ts';

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
            const [user, stats] = await Promise.all([
                services.identity.getUser({}, context),
                services.usage.getCounts({}, context),
            ]);
            return { ...userOf(user), last_login_at: user.last_login_at ?? null, stats };
        },
    }),
];
