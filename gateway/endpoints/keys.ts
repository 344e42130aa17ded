import { z } from 'zod';
import type { GenerateResponse, Key, ReplacedKey } from '../../proto/gen/keys/v1/keys.ts';
import type { KeyUsage } from '../../proto/gen/usage/v1/usage.ts';
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '../../proto/limits.ts';
import { textOrNull } from '../answer-fields.ts';
import { endpoint } from '../endpoint.ts';
import { name, optional, paging, wholeNumber } from '../fields.ts';
import { changedRestrictions, changeOf, newRestrictions, type Restrictions, restrictionFields } from '../key-fields.ts';
import { ListAnswer } from '../lists.ts';
import { sinceUpgrade, upgrading } from '../upgrading.ts';

const byId = z.object({ key_id: z.string() });

export const keySummary = z.object({
    key_id: z.string(),
    name: z.string(),
    key_prefix: z.string(),
    tier: z.string(),
    rate_limit: z.number(),
    created_at: z.string(),
    last_used_at: textOrNull,
    active: z.boolean(),
    ...restrictionFields,
    replaced_by: z.string().optional(),
});

const created = z.object({
    key_id: z.string(),
    api_key: z.string(),
    name: z.string(),
    tier: z.string(),
    rate_limit: z.number(),
    created_at: z.string(),
    last_used_at: z.null().default(null),
    ...restrictionFields,
});

const NO_REQUESTS = { requests_today: 0, requests_this_month: 0 };

const overlap = wholeNumber({ min: 0, max: MAX_OVERLAP_SECONDS, default: DEFAULT_OVERLAP_SECONDS });

/** A key with its last use, which another service knows. */
function used(key: Key, usage: KeyUsage | undefined) {
    return { ...key, last_used_at: usage?.last_used_at };
}

/**
 * Throws if the keys service is of a release that ignores restrictions: nobody may get a key that can do more than was
 * asked for.
 */
function requireRestricted(asked: Restrictions, key: Restrictions): void {
    const isKept =
        (key.expires_at === undefined) === (asked.expires_at === undefined) &&
        key.scopes.length === asked.scopes.length &&
        key.allowed_addresses.length === asked.allowed_addresses.length;
    if (!isKept) throw upgrading();
}

const RESTRICTIONS =
    'A restriction is an end (`expires_at`, at most ten years ahead), a list of scopes, or a list of networks in CIDR notation. A key without one is not restricted in this way, and answers then leave the field out.';

export const keyEndpoints = [
    endpoint({
        id: 'keys.generate',
        summary: 'Generate an API key',
        description: `Only this answer contains the complete key, because the service stores only its hash. ${RESTRICTIONS}`,
        method: 'POST',
        path: '/v1/keys/generate',
        access: 'session',
        status: 201,
        message: 'API key generated. Store it now: it is not shown again.',
        byKey: 'secret',
        actsOn: 'key_id',
        body: z.object({ name, tier: optional(z.string()), ...newRestrictions }),
        answer: created,
        async call({ body: { scopes = [], allowed_addresses = [], ...body }, services, context }) {
            const request = { ...body, scopes, allowed_addresses };
            const key = await services.keys.generate(request, context);
            requireRestricted(request, key);
            return key;
        },
    }),

    endpoint({
        id: 'keys.list',
        summary: 'List API keys',
        description: 'Newest first, including revoked keys.',
        method: 'GET',
        path: '/v1/keys',
        access: 'session',
        status: 200,
        message: 'API keys',
        query: paging,
        answer: z.object({ keys: z.array(keySummary), total: z.number() }),
        async call({ query, services }) {
            return new ListAnswer<{ keys: Array<z.input<typeof keySummary>>; total: number }>({
                field: 'keys',
                paging: query,
                async fetch(page, context) {
                    const { keys, next_cursor, total } = await services.keys.list(page, context);
                    const keyIds = keys.map((key) => key.key_id);
                    const usage = await services.usage.getKeyUsage({ key_ids: keyIds }, context);
                    return { rows: keys.map((key, index) => used(key, usage.keys[index])), next_cursor, total };
                },
            });
        },
    }),

    endpoint({
        id: 'keys.get',
        summary: 'Get an API key',
        method: 'GET',
        path: '/v1/keys/{key_id}',
        access: 'session',
        status: 200,
        message: 'API key',
        params: byId,
        answer: keySummary.extend({
            usage: z.object({ requests_today: z.number(), requests_this_month: z.number() }).prefault(NO_REQUESTS),
        }),
        async call({ params, services, context }) {
            const key = await services.keys.get(params, context);
            const { keys } = await services.usage.getKeyUsage({ key_ids: [key.key_id] }, context);
            return { ...used(key, keys[0]), usage: keys[0] };
        },
    }),

    endpoint({
        id: 'keys.revoke',
        summary: 'Revoke an API key',
        description:
            'A revocation is permanent and takes effect at once: a call with the key that begins after the answer is refused. A repeated revocation gets the same answer as the first one.',
        idempotent: true,
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
        id: 'keys.update',
        summary: 'Change an API key',
        description: `Changes the name or the restrictions of a key. \`null\` removes a restriction. A change is in force at once: it holds for every call that begins after the answer. An expired key with a later \`expires_at\` is active again. After 503 the change may be made, but not every gateway may know it yet: repeat the call. A repeated call gets the same answer. ${RESTRICTIONS}`,
        idempotent: true,
        method: 'PATCH',
        path: '/v1/keys/{key_id}',
        access: 'session',
        status: 200,
        message: 'API key updated',
        actsOn: 'key_id',
        params: byId,
        body: z.object({ name: optional(name), ...changedRestrictions }),
        answer: z.object({ key_id: z.string(), name: z.string(), updated_at: z.string(), ...restrictionFields }),
        async call({ params, body: { name: newName, ...restrictions }, services, context }) {
            const request = { ...params, name: newName };
            const change = changeOf(restrictions);
            if (!change) return services.keys.rename(request, context);
            return sinceUpgrade(services.keys.restrict({ ...request, ...change }, context));
        },
    }),

    endpoint({
        id: 'keys.rotate',
        summary: 'Rotate an API key',
        description:
            'Creates a key that replaces this one, with the same name, tier and restrictions. Both keys work during the overlap, so that callers can change over without a failed call. Then the old key ends, or earlier if it expires earlier. The two keys count as one active key and share a rate limit. A key that the old one has replaced ends at once. Only this answer contains the complete new key.',
        method: 'POST',
        path: '/v1/keys/{key_id}/rotate',
        access: 'session',
        status: 201,
        message: 'API key rotated. Store the new key now: it is not shown again.',
        byKey: 'secret',
        actsOn: 'key_id',
        params: byId,
        body: z.object({ overlap_seconds: optional(overlap) }),
        answer: created.extend({ replaces: z.object({ key_id: z.string(), expires_at: z.string() }) }),
        async call({ params, body, services, context }) {
            const { key, replaces } = await sinceUpgrade(services.keys.rotate({ ...params, ...body }, context));
            // The keys service always returns both.
            return { ...(key as GenerateResponse), replaces: replaces as ReplacedKey };
        },
    }),
];
