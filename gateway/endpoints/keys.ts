import { z } from 'zod';
import type { Key } from '../../proto/gen/keys/v1/keys.ts';
import type { KeyUsage } from '../../proto/gen/usage/v1/usage.ts';
import { endpoint } from '../endpoint.ts';
import { name, optional, paging } from '../fields.ts';
import { ListAnswer } from '../lists.ts';

const byId = z.object({ key_id: z.string() });

const summary = z.object({
    key_id: z.string(),
    name: z.string(),
    key_prefix: z.string(),
    tier: z.string(),
    rate_limit: z.number(),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
    active: z.boolean(),
});

function summaryOf(key: Key, usage: KeyUsage | undefined): z.input<typeof summary> {
    return {
        key_id: key.key_id,
        name: key.name,
        key_prefix: key.key_prefix,
        tier: key.tier,
        rate_limit: key.rate_limit,
        created_at: key.created_at,
        last_used_at: usage?.last_used_at ?? null,
        active: key.active,
    };
}

export const keyEndpoints = [
    endpoint({
        id: 'keys.generate',
        method: 'POST',
        path: '/v1/keys/generate',
        access: 'session',
        status: 201,
        message: 'API key generated. Store it now: it is not shown again.',
        byKey: true,
        actsOn: 'key_id',
        body: z.object({ name, tier: optional(z.string()) }),
        answer: z.object({
            key_id: z.string(),
            api_key: z.string(),
            name: z.string(),
            tier: z.string(),
            rate_limit: z.number(),
            created_at: z.string(),
            last_used_at: z.null(),
        }),
        async call({ body, services, context }) {
            return { ...(await services.keys.generate(body, context)), last_used_at: null };
        },
    }),

    endpoint({
        id: 'keys.list',
        method: 'GET',
        path: '/v1/keys',
        access: 'session',
        status: 200,
        message: 'API keys',
        query: paging,
        answer: z.object({ keys: z.array(summary), total: z.number() }),
        async call({ query, services }) {
            return new ListAnswer<{ keys: Array<z.input<typeof summary>>; total: number }>({
                field: 'keys',
                paging: query,
                async fetch(page, context) {
                    const { keys, next_cursor, total } = await services.keys.list(page, context);
                    const keyIds = keys.map((key) => key.key_id);
                    const usage = await services.usage.getKeyUsage({ key_ids: keyIds }, context);
                    return { rows: keys.map((key, index) => summaryOf(key, usage.keys[index])), next_cursor, total };
                },
            });
        },
    }),

    endpoint({
        id: 'keys.get',
        method: 'GET',
        path: '/v1/keys/{key_id}',
        access: 'session',
        status: 200,
        message: 'API key',
        params: byId,
        answer: summary.extend({
            usage: z.object({ requests_today: z.number(), requests_this_month: z.number() }),
        }),
        async call({ params, services, context }) {
            const key = await services.keys.get(params, context);
            const { keys } = await services.usage.getKeyUsage({ key_ids: [key.key_id] }, context);
            const { requests_today = 0, requests_this_month = 0 } = keys[0] ?? {};
            return { ...summaryOf(key, keys[0]), usage: { requests_today, requests_this_month } };
        },
    }),

    endpoint({
        id: 'keys.revoke',
        method: 'DELETE',
        path: '/v1/keys/{key_id}',
        access: 'session',
        status: 200,
        message: 'API key revoked',
        actsOn: 'key_id',
        params: byId,
        answer: z.object({ key_id: z.string(), revoked_at: z.string() }),
        call: ({ params, services, context }) => services.keys.revoke(params, context),
    }),

    endpoint({
        id: 'keys.rename',
        method: 'PATCH',
        path: '/v1/keys/{key_id}',
        access: 'session',
        status: 200,
        message: 'API key updated',
        actsOn: 'key_id',
        params: byId,
        body: z.object({ name: optional(name) }),
        answer: z.object({ key_id: z.string(), name: z.string(), updated_at: z.string() }),
        call: ({ params, body, services, context }) => services.keys.rename({ ...params, ...body }, context),
    }),
];
