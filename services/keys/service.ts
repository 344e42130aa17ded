import type { LivenessMarks } from '../../platform/access/liveness-marks.ts';
import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { KeysServiceDefinition } from '../../proto/gen/keys/v1/keys.ts';
import type { Cursors } from '../cursors.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { quotaOf } from '../quotas.ts';
import { requireName } from '../texts.ts';
import { rateLimit } from '../tiers.ts';
import { generator, type KeyPolicy } from './generate.ts';
import { keyOf, lister } from './list.ts';
import type { KeyCounts, KeyRow } from './rows.ts';
import type { KeyStore, OwnKey } from './store.ts';

const HASH_BYTES = 32;

interface KeysOptions {
    store: KeyStore;
    livenessMarks: LivenessMarks;
    cursors: Cursors;
    idempotency: Idempotency;
    policy: KeyPolicy;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/** API keys: secrets that act for an account, each with its own tier. */
export function keysService(options: KeysOptions): ServiceOf<typeof KeysServiceDefinition> {
    const { store, livenessMarks, cursors, idempotency, policy, clock } = options;
    const isoNow = () => new Date(clock()).toISOString();
    const mostOf = (context: CallContext): KeyCounts => ({
        active: quotaOf(policy.keyLimits, context),
        all: quotaOf(policy.keyQuota, context),
    });

    return {
        generate: generator({ store, idempotency, policy, clock, mostOf }),
        list: lister({ store, cursors }),

        async get({ key_id }, context) {
            return keyOf(existing(await store.find(ownKey(key_id, context), context)));
        },

        async revoke({ key_id }, context) {
            const own = ownKey(key_id, context);
            existing(await store.find(own, context));
            const revokedAt = await livenessMarks.refuseAnd(
                { account: own.account, subject: 'key', ids: [key_id] },
                () => store.revoke({ ...own, now: isoNow() }, context),
                context,
            );
            return { key_id, revoked_at: revokedAt };
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

function ownKey(keyId: string, context: CallContext): OwnKey {
    const account = requireUser(context);
    if (!isId(keyId)) throw notFound();
    return { account, key_id: keyId };
}

function existing(key: KeyRow | undefined): KeyRow {
    if (!key) throw notFound();
    return key;
}

/** A key of another account gets the same answer as one that does not exist. */
function notFound(): AppError {
    return new AppError('not_found', 'This API key does not exist.');
}
