import { type CallContext, requireUser } from '../../platform/context.ts';
import type { GetQuotasResponse } from '../../proto/gen/wallet/v1/wallet.ts';
import { type Quota, quotaExceeded, quotaOf } from '../quotas.ts';
import type { WalletStore } from './store.ts';
import type { Check, Stored } from './stored.store.ts';

/** The quotas for all wallets of an account together. */
export type WalletQuotas = Readonly<Record<keyof Stored, Quota>>;

/** The names of the quotas in error messages. */
const NAMES = {
    wallets: 'wallets',
    credentials: 'credentials in wallets',
    bytes: 'bytes of credentials in wallets',
} as const satisfies Record<keyof Stored, string>;

/**
 * Returns a check that throws AppError `forbidden` if an account stores too much. `kinds` are the quotas that the call
 * adds to.
 */
export function quotaCheck(quotas: WalletQuotas, kinds: ReadonlyArray<keyof Stored>, context: CallContext): Check {
    return (stored) => {
        for (const kind of kinds) {
            const limit = quotaOf(quotas[kind], context);
            if (stored[kind] > limit) throw quotaExceeded(NAMES[kind], limit);
        }
    };
}

/** Throws like `check` if there is no room for one more wallet. */
export function checkOneMore(stored: Stored, check: Check): void {
    check({ ...stored, wallets: stored.wallets + 1 });
}

export async function getQuotas(
    { store, quotas }: { store: WalletStore; quotas: WalletQuotas },
    context: CallContext,
): Promise<GetQuotasResponse> {
    const stored = await store.stored(requireUser(context), context);
    const quota = (kind: keyof Stored) => ({ used: stored[kind], limit: quotaOf(quotas[kind], context) });
    return { wallets: quota('wallets'), credentials: quota('credentials'), bytes: quota('bytes') };
}
