import { z } from 'zod';
import { textOrNull } from '../answer-fields.ts';
import { endpoint } from '../endpoint.ts';
import { name, optional } from '../fields.ts';

export const userFields = {
    user_id: z.string(),
    email: z.string(),
    name: textOrNull,
    tier: z.string(),
    created_at: z.string(),
};

export const meEndpoints = [
    endpoint({
        id: 'me.get',
        summary: 'Get the current user',
        method: 'GET',
        path: '/v1/me',
        access: 'session',
        status: 200,
        message: 'Current user',
        answer: z.object({
            ...userFields,
            last_login_at: textOrNull,
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
            return { ...user, stats };
        },
    }),

    endpoint({
        id: 'me.update',
        summary: 'Change name or email',
        description: '`"name": null` removes the name.',
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
            name: textOrNull,
            updated_at: z.string(),
        }),
        call: ({ body: { name, email }, services, context }) =>
            services.identity.updateUser({ email, name: name ?? undefined, clear_name: name === null }, context),
    }),

    endpoint({
        id: 'me.change_password',
        summary: 'Change the password',
        description: 'Ends all other sessions of the account. API keys stay valid.',
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

    endpoint({
        id: 'me.delete',
        summary: 'Erase the account',
        description:
            'Nothing can be restored. Sessions and API keys of the account are refused from the next call on, and its email is free. Its issuers are archived, and its data is removed within minutes; one of millions of objects takes longer. What its issuers have signed is verified as before: of a credential stay its id, issuer, times and revocation, and DID documents stay public. After a 503, repeat the call: an erasure that was decided ends by itself within minutes, but sessions and keys may work until then.',
        method: 'DELETE',
        path: '/v1/me',
        access: 'session',
        status: 200,
        message: 'Account erased',
        hashesPassword: true,
        body: z.object({
            password: z.string(),
            confirm: z.enum(['delete'], { error: 'must be "delete", because nothing can be restored' }),
        }),
        answer: z.object({ user_id: z.string(), erased_at: z.string() }),
        call: ({ body: { password }, services, context }) => services.identity.deleteAccount({ password }, context),
    }),
];
