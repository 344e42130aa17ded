import { type CallContext, requireUser } from '../../platform/context.ts';
import type { Key, ListRequest, ListResponse } from '../../proto/gen/keys/v1/keys.ts';
import type { Cursors } from '../cursors.ts';
import { onePage, totalOf } from '../paging.ts';
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
    return async (request, context) => {
        const account = requireUser(context);
        const { page, next_cursor } = await onePage(request, {
            cursors,
            scope: { list: 'keys', account },
            idOf: ({ key_id }: KeyRow) => key_id,
            rows: (range) => store.list({ account, ...range }, context),
        });
        const now = clock();
        const seen = { rows: page.length, more: next_cursor !== undefined };
        return {
            keys: page.map((row) => keyOf(row, now)),
            next_cursor,
            total: await totalOf(request, seen, () => store.count(account, context)),
        };
    };
}

/** True unless the key is revoked or has expired. `now` in milliseconds since 1970. */
export function acts(key: Pick<KeyRow, 'revoked_at' | 'expires_at'>, now: number): boolean {
    return key.revoked_at === null && !hasExpired(key, now);
}

/** A key as answers show it: without its hash. `now` in milliseconds since 1970. */
export function keyOf(row: KeyRow, now: number): Key {
    const { key_id, name, mask, tier, created_at, replaced_by } = row;
    return {
        key_id,
        name,
        key_prefix: mask,
        tier,
        rate_limit: rateLimit(tier),
        created_at,
        active: acts(row, now),
        ...shown(row),
        replaced_by: replaced_by ?? undefined,
    };
}
