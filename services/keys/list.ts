import { type CallContext, requireUser } from '../../platform/context.ts';
import type { Key, ListRequest, ListResponse } from '../../proto/gen/keys/v1/keys.ts';
import type { Cursors, ListScope } from '../cursors.ts';
import { requireLimit, totalOf } from '../paging.ts';
import { rateLimit } from '../tiers.ts';
import type { KeyRow } from './rows.ts';
import type { KeyStore } from './store.ts';

/** Returns the method that lists the keys of an account, newest first. */
export function lister({
    store,
    cursors,
}: {
    store: KeyStore;
    cursors: Cursors;
}): (request: ListRequest, context: CallContext) => Promise<ListResponse> {
    return async ({ limit, cursor, with_total }, context) => {
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
    };
}

/** A key as answers show it: without its hash. */
export function keyOf({ key_id, name, mask, tier, created_at, revoked_at }: KeyRow): Key {
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
