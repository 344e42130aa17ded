import { createCache } from '../platform/cache.ts';
import { type CallContext, detached, REQUEST_TIMEOUT_MS, withoutIdempotencyKey } from '../platform/context.ts';
import { type Quota, quotaExceeded, quotaOf } from './quotas.ts';

/** Throws AppError `forbidden` if the account of a call that is about to write a row has reached its quota. */
export type RequireRoom = (context: CallContext) => void;

/** Maximum number of accounts whose counts a process remembers. */
const MAX_ACCOUNTS = 10_000;
/**
 * A process looks at the count of an account again after it has admitted this part of the rows that were left. So up to
 * this many processes together admit no more than was left.
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
 * A quota for rows that are written too often to count in their own statement. No call waits for a look at the count,
 * so a refusal is always right, but calls are admitted until the look that finds the quota reached has its answer.
 * While looks fail, calls are admitted. Rows without an account have no quota. `what` names the rows, and `count` counts
 * those of the account of a call.
 */
export function approximateQuota(
    quota: Quota,
    { what, count }: { what: string; count(context: CallContext): Promise<number> },
): RequireRoom {
    const accounts = createCache<string, Known>(MAX_ACCOUNTS);

    async function look(known: Known, context: CallContext): Promise<void> {
        known.admitted = 0;
        known.isLooking = true;
        try {
            known.used = await count(withoutIdempotencyKey(detached(context, REQUEST_TIMEOUT_MS)));
        } catch {
            // The metrics of the call show it, and a later call looks again.
        } finally {
            known.isLooking = false;
        }
    }

    return (context) => {
        const { user_id: account } = context;
        if (account === undefined) return;
        const limit = quotaOf(quota, context);
        const known = accounts.get(account) ?? { used: 0, admitted: Number.POSITIVE_INFINITY, isLooking: false };
        if (known.used >= limit) throw quotaExceeded(what, limit);
        accounts.set(account, known);
        if (!known.isLooking && known.admitted >= Math.floor((limit - known.used) / PARTS)) void look(known, context);
        known.admitted++;
    };
}
