import { type CallContext, requireUser } from '../../platform/context.ts';
import type { Key, ListRequest, ListResponse } from '../../proto/gen/keys/v1/keys.ts';
import type { Cursors, ListScope } from '../cursors.ts';
import { requireLimit, totalOf } from '../paging.ts';
import { rateLimit } from '../tiers.ts';
import { hasExpired, shown } from './restrictions.ts';
import type { KeyRow } from './rows.ts';
import type { KeyStore } from './store.ts';

/** Returns the method that lists the keys of an account, newest first. */
export function lister({
    store,
    cursors,
    clock,
}: {
    store: KeyStore;
    cursors: Cursors;
    /** Milliseconds since 1970. */
    clock: () => number;
}): (request: ListRequest, context: CallContext) => Promise<ListResponse> {
    return async ({ limit, cursor, with_total }, context) => {
        const account = requireUser(context);
        requireLimit(limit);
        const scope: ListScope = { list: 'keys', account };
        const before = cursor === undefined ? undefined : cursors.open(cursor, scope);
        const rows = await store.list({ account, before, limit: limit + 1 }, context);
        const page = rows.slice(0, limit);
        const now = clock();
        const more = rows.length > limit;
        const last = page.at(-1);
        return {
            keys: page.map((row) => keyOf(row, now)),
            next_cursor: more && last ? cursors.seal(last.key_id, scope) : undefined,
            total: await totalOf({ cursor, with_total }, { rows: page.length, more }, () =>
                store.count(account, context),
            ),
        };
    };
}

/** A key as answers show it: without its hash. `now` in milliseconds since 1970. */
export function keyOf(row: KeyRow, now: number): Key {
    const { key_id, name, mask, tier, created_at, revoked_at, replaced_by } = row;
    return {
        key_id,
        name,
        key_prefix: mask,
        tier,
        rate_limit: rateLimit(tier),
        created_at,
        active: revoked_at === null && !hasExpired(row, now),
        ...shown(row),
        replaced_by: replaced_by ?? undefined,
    };
}
