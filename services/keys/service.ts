import { type ApiKeyFormat, makeApiKey } from '../../platform/access/api-key.ts';
import type { LivenessMarks } from '../../platform/access/liveness-marks.ts';
import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { Key, KeysServiceDefinition } from '../../proto/gen/keys/v1/keys.ts';
import type { Cursors, ListScope } from '../cursors.ts';
import { requireLimit, totalOf } from '../paging.ts';
import { type Quota, quotaExceeded, quotaOf } from '../quotas.ts';
import { requireName } from '../texts.ts';
import { exceeds, rateLimit, requireTier } from '../tiers.ts';
import type { KeyCounts, KeyRow, KeyStore, OwnKey } from './store.ts';

export interface KeyPolicy extends ApiKeyFormat {
    /** Whether a key may have a higher tier than its account. */
    tier_policy: 'any' | 'cap';
    /** Maximum number of active keys of an account, by tier. */
    key_limits: Quota;
    /** Maximum number of keys of an account, including revoked ones. */
    key_quota: Quota;
}

const HASH_BYTES = 32;

/** API keys: secrets that act for an account, each with its own tier. */
export function keysService({
    store,
    livenessMarks,
    cursors,
    policy,
    clock,
}: {
    store: KeyStore;
    livenessMarks: LivenessMarks;
    cursors: Cursors;
    policy: KeyPolicy;
    /** Milliseconds since 1970. */
    clock: () => number;
}): ServiceOf<typeof KeysServiceDefinition> {
    const isoNow = () => new Date(clock()).toISOString();
    const mostOf = (context: CallContext): KeyCounts => ({
        active: quotaOf(policy.key_limits, context),
        all: quotaOf(policy.key_quota, context),
    });

    return {
        async generate(request, context) {
            const account = requireUser(context);
            const account_tier = requireTier(context.tier ?? 'free');
            const name = requireName(request.name);
            const tier = request.tier === undefined ? account_tier : requireTier(request.tier);
            if (policy.tier_policy === 'cap' && exceeds(tier, account_tier)) {
                throw new AppError('forbidden', `A key's tier may not exceed its account's, which is ${account_tier}.`);
            }
            const most = mostOf(context);
            const { api_key, hash, mask } = makeApiKey(policy);
            const now = clock();
            const key = { key_id: newId(now), name, tier, created_at: new Date(now).toISOString() };
            if (!(await store.insert({ ...key, account, hash, mask }, most, context))) {
                const { all } = await store.counts(account, context);
                if (all >= most.all) throw quotaExceeded('API keys, revoked ones included', most.all);
                throw new AppError('forbidden', `The account has reached its limit of ${most.active} active API keys.`);
            }
            return { ...key, api_key, rate_limit: rateLimit(tier) };
        },

        async list({ limit, cursor, with_total }, context) {
            const account = requireUser(context);
            requireLimit(limit);
            const scope: ListScope = { list: 'keys', account };
            const before = cursor === undefined ? undefined : cursors.open(cursor, scope);
            const rows = await store.list({ account, before, limit: limit + 1 }, context);
            const page = rows.slice(0, limit);
            const more = rows.length > limit;
            const last = page.at(-1);
            return {
                keys: page.map(keyOf),
                next_cursor: more && last ? cursors.seal(last.key_id, scope) : undefined,
                total: await totalOf({ cursor, with_total }, { rows: page.length, more }, () =>
                    store.count(account, context),
                ),
            };
        },

        async get({ key_id }, context) {
            return keyOf(existing(await store.find(ownKey(key_id, context), context)));
        },

        async revoke({ key_id }, context) {
            const own = ownKey(key_id, context);
            existing(await store.find(own, context));
            const revoked_at = await livenessMarks.refuseAnd(
                { account: own.account, subject: 'key', ids: [key_id] },
                () => store.revoke({ ...own, now: isoNow() }, context),
                context,
            );
            return { key_id, revoked_at };
        },

        async rename({ key_id, name: requested }, context) {
            const name = requested === undefined ? undefined : requireName(requested);
            const own = ownKey(key_id, context);
            const key =
                name === undefined ? store.find(own, context) : store.rename({ ...own, name, now: isoNow() }, context);
            const { name: current, updated_at } = existing(await key);
            return { key_id, name: current, updated_at };
        },

        async getQuotas(_request, context) {
            const used = await store.counts(requireUser(context), context);
            const most = mostOf(context);
            return {
                active: { used: used.active, limit: most.active },
                all: { used: used.all, limit: most.all },
            };
        },

        async authenticate({ hash }, context) {
            const key = hash.length === HASH_BYTES ? await store.findLive(hash, context) : undefined;
            if (!key) return { alive: false, key_id: '', user_id: '', tier: '', rate_limit: 0 };
            const { key_id, account, tier } = key;
            return { alive: true, key_id, user_id: account, tier, rate_limit: rateLimit(tier) };
        },
    };
}

function ownKey(key_id: string, context: CallContext): OwnKey {
    const account = requireUser(context);
    if (!isId(key_id)) throw notFound();
    return { account, key_id };
}

function existing(key: KeyRow | undefined): KeyRow {
    if (!key) throw notFound();
    return key;
}

/** A key of another account gets the same answer as one that does not exist. */
function notFound(): AppError {
    return new AppError('not_found', 'This API key does not exist.');
}

function keyOf({ key_id, name, mask, tier, created_at, revoked_at }: KeyRow): Key {
    return {
        key_id,
        name,
        key_prefix: mask,
        tier,
        rate_limit: rateLimit(tier),
        created_at,
        active: revoked_at === null,
    };
}
