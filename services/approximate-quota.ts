import { createCache } from '../platform/cache.ts';
import { type CallContext, type CallLifetime, detached, REQUEST_TIMEOUT_MS, requireUser } from '../platform/context.ts';
import type { Counts } from './counts/counts.store.ts';
import { type Quota, quotaExceeded, quotaOf } from './quotas.ts';

/** A quota for what an account stores, compared with what the service has counted. */
export interface ApproximateQuota {
    /**
     * Throws AppError `forbidden` if the account of a call has no room for what the call is about to write. `amount`:
     * how much that is.
     */
    requireRoom(context: CallContext, amount?: number): Promise<void>;
    /** What the account of a call stores. `limit`: how much it may store. */
    read(context: CallContext): Promise<{ used: number; limit: number }>;
}

/** What is counted, with its name in error messages. */
const NAMES = {
    dids_created: 'DIDs',
    credentials_issued: 'credentials',
    presentations_created: 'presentations',
    wallets: 'wallets',
    wallet_credentials: 'credentials in wallets',
    wallet_bytes: 'bytes of credentials in wallets',
} as const;

/**
 * Maximum number of accounts whose counts a process remembers. Beyond it: the least recently used ones are dropped, and
 * asked for again at their next call.
 */
const MAX_ACCOUNTS = 10_000;
/**
 * The room that is left to an account is divided into this many parts. After a process has admitted one part, it reads
 * the count again, and no call waits for that. So this many processes together exceed the quota by little.
 */
const PARTS = 64;

interface Known {
    /** What the account stored at the last look. */
    used: number;
    /** What this process has admitted since it last began to look. */
    admitted: number;
    isLooking: boolean;
}

/**
 * A call waits for a new reading of the count (a look) only if it needs more than one part of the room that is left. So
 * calls that follow each other never exceed the quota. Calls at the same time may, by what they write. A call is
 * refused only after a look. While looks fail, the last count that was read is used. A call without an account has no
 * quota.
 */
export function approximateQuota(
    kind: keyof typeof NAMES,
    quota: Quota,
    counts: Pick<Counts, 'amounts'>,
): ApproximateQuota {
    const accounts = createCache<string, Known>(MAX_ACCOUNTS);
    const count = async (account: string, lifetime: CallLifetime) =>
        (await counts.amounts(account, lifetime)).get(kind) ?? 0;

    async function look(known: Known, account: string, context: CallContext): Promise<void> {
        known.admitted = 0;
        known.isLooking = true;
        try {
            const own = detached(context, REQUEST_TIMEOUT_MS);
            known.used = await count(account, { ...own, traceparent: undefined }); // most calls do not wait for it
        } catch {
            known.admitted = Number.POSITIVE_INFINITY; // the next call looks again; the metrics of statements show the failure
        } finally {
            known.isLooking = false;
        }
    }

    return {
        async requireRoom(context, amount = 1) {
            const { user_id: account } = context;
            if (account === undefined) return;
            const limit = quotaOf(quota, context);
            const known = accounts.get(account) ?? { used: 0, admitted: Number.POSITIVE_INFINITY, isLooking: false };
            accounts.set(account, known);
            const part = (limit - known.used) / PARTS;
            if (amount > part) await look(known, account, context);
            else if (!known.isLooking && known.admitted >= Math.floor(part)) void look(known, account, context);
            if (known.used + amount > limit) throw quotaExceeded(NAMES[kind], limit);
            known.admitted += amount;
        },
        read: async (context) => ({ used: await count(requireUser(context), context), limit: quotaOf(quota, context) }),
    };
}
