import { createCache } from '../platform/cache.ts';
import { type CallContext, detached, REQUEST_TIMEOUT_MS, withoutIdempotencyKey } from '../platform/context.ts';
import { type Quota, quotaExceeded, quotaOf } from './quotas.ts';

/** A quota for rows that are written too often to count in their own statement. */
export interface ApproximateQuota {
    /** Throws AppError `forbidden` if the account of a call that is about to write a row has reached its quota. */
    requireRoom(context: CallContext): void;
    /** Counts the rows of the account of a call. `limit`: how many it may have. */
    read(context: CallContext): Promise<{ used: number; limit: number }>;
}

/**
 * Maximum number of accounts whose counts a process remembers. Beyond it: the least recently used ones are dropped, and
 * asked for again at their next call.
 */
const MAX_ACCOUNTS = 10_000;
/**
 * Into how many parts the rows that are left to an account are divided. After a process has admitted one part, it asks
 * for the count again, and no call waits for the answer. So up to this many processes admit little more than was left.
 */
const PARTS = 64;

interface Known {
    /** The rows of the account at the last look. Rows are never removed, so there are at least that many. */
    used: number;
    /** The rows that this process has admitted since it last began to look. */
    admitted: number;
    isLooking: boolean;
}

/**
 * Calls are admitted until a look finds the quota reached, and none of them waits for it. A refusal is always right.
 * While looks fail, calls are admitted. Rows without an account have no quota. `what` names the rows, and `count` counts
 * those of the account of a call.
 */
export function approximateQuota(
    quota: Quota,
    { what, count }: { what: string; count(context: CallContext): Promise<number> },
): ApproximateQuota {
    const accounts = createCache<string, Known>(MAX_ACCOUNTS);

    async function look(known: Known, context: CallContext): Promise<void> {
        known.admitted = 0;
        known.isLooking = true;
        try {
            const own = withoutIdempotencyKey(detached(context, REQUEST_TIMEOUT_MS));
            known.used = await count({ ...own, traceparent: undefined }); // the call does not wait for it
        } catch {
            known.admitted = Number.POSITIVE_INFINITY; // the next call looks again; the metrics of calls show the failure
        } finally {
            known.isLooking = false;
        }
    }

    function requireRoom(context: CallContext): void {
        const { user_id: account } = context;
        if (account === undefined) return;
        const limit = quotaOf(quota, context);
        const known = accounts.get(account) ?? { used: 0, admitted: Number.POSITIVE_INFINITY, isLooking: false };
        if (known.used >= limit) throw quotaExceeded(what, limit);
        accounts.set(account, known);
        if (!known.isLooking && known.admitted >= Math.floor((limit - known.used) / PARTS)) void look(known, context);
        known.admitted++;
    }

    return {
        requireRoom,
        read: async (context) => ({ used: await count(context), limit: quotaOf(quota, context) }),
    };
}
