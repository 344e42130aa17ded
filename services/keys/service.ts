import type { Limiter } from '../../platform/access/limiter.ts';
import type { LivenessMarks } from '../../platform/access/liveness-marks.ts';
import type { RequestCounts } from '../../platform/access/request-counts.ts';
import { type CallContext, requireUser } from '../../platform/context.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { KeysServiceDefinition } from '../../proto/gen/keys/v1/keys.ts';
import type { Cursors } from '../cursors.ts';
import { erasure } from '../erasure.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { quotaOf } from '../quotas.ts';
import { authenticator } from './authenticate.ts';
import { changes } from './change.ts';
import { checker } from './check.ts';
import { generator, type KeyPolicy } from './generate.ts';
import { acts, keyOf, lister } from './list.ts';
import { existing, ownKey } from './own-key.ts';
import { covers, requireScope } from './restrictions.ts';
import { rotator } from './rotate.ts';
import type { KeyCounts } from './rows.ts';
import type { KeyStore } from './store.ts';
import { suspender } from './suspend.ts';

interface KeysOptions {
    store: KeyStore;
    livenessMarks: LivenessMarks;
    limiter: Limiter;
    requestCounts: RequestCounts;
    cursors: Cursors;
    idempotency: Idempotency;
    policy: KeyPolicy;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/** API keys: secrets that act for an account, each with its own tier. */
export function keysService(options: KeysOptions): ServiceOf<typeof KeysServiceDefinition> {
    const { store, livenessMarks, limiter, requestCounts, cursors, idempotency, policy, clock } = options;
    const isoNow = () => new Date(clock()).toISOString();
    const mostOf = (context: CallContext): KeyCounts => ({
        active: quotaOf(policy.keyLimits, context),
        all: quotaOf(policy.keyQuota, context),
    });

    async function refuseKeys(account: string, ids: readonly string[], context: CallContext): Promise<void> {
        const failure = await livenessMarks.refuse({ account, subject: 'key', ids }, context);
        if (failure) throw failure;
    }

    return {
        generate: generator({ store, idempotency, policy, clock, mostOf }),
        list: lister({ store, cursors, clock }),
        ...changes({ store, livenessMarks, policy, clock, mostOf }),
        rotate: rotator({ store, idempotency, livenessMarks, policy, clock, mostOf }),
        authenticate: authenticator({ store }),
        setSuspension: suspender({ store, livenessMarks }),
        eraseAccount: erasure(store.erasure(refuseKeys)),
        check: checker({ store, limiter, requestCounts, policy, clock }),

        async get({ key_id }, context) {
            return keyOf(existing(await store.find(ownKey(key_id, context), context)), clock());
        },

        async mayAct({ key_id, scope }, context) {
            const needed = requireScope(scope);
            if (key_id === undefined) return { may_act: !(await store.suspended(requireUser(context), context)) };
            const key = await store.standing(ownKey(key_id, context), context);
            return { may_act: key !== undefined && !key.suspended && acts(key, clock()) && covers(key, needed) };
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

        async getQuotas(_request, context) {
            const used = await store.counts({ account: requireUser(context), now: isoNow() }, context);
            const most = mostOf(context);
            return {
                active: { used: used.active, limit: most.active },
                all: { used: used.all, limit: most.all },
            };
        },
    };
}
