import { type CallContext, requireUser } from '../../platform/context.ts';
import type { Config } from '../../platform/process/config.ts';
import type { GetQuotasResponse } from '../../proto/gen/wallet/v1/wallet.ts';
import { type ApproximateQuota, approximateQuota } from '../approximate-quota.ts';
import type { Counts } from '../counts/counts.store.ts';
import type { NewEntry } from './rows.ts';
import type { WalletStore } from './store.ts';

/** The quotas for all wallets of an account together. `bytes`: of the sealed credentials. */
export type WalletQuotas = Readonly<Record<'wallets' | 'credentials' | 'bytes', ApproximateQuota>>;

export function walletQuotas(config: Config, counts: Pick<Counts, 'amounts'>): WalletQuotas {
    return {
        wallets: approximateQuota('wallets', config.QUOTA_WALLETS, counts),
        credentials: approximateQuota('wallet_credentials', config.QUOTA_WALLET_CREDENTIALS, counts),
        bytes: approximateQuota('wallet_bytes', config.QUOTA_WALLET_BYTES, counts),
    };
}

/**
 * Throws AppError `forbidden` if the account of the wallet has no room for the entry. One that replaces another needs
 * room only for what it is longer.
 */
export async function roomFor(
    { store, quotas }: { store: WalletStore; quotas: WalletQuotas },
    entry: NewEntry,
    context: CallContext,
): Promise<void> {
    const owner = { ...context, user_id: entry.wallet.account ?? undefined };
    const stored = await store.sizeOf(entry, context);
    const growth = entry.sealed.length - (stored ?? 0);
    if (stored === undefined) await quotas.credentials.requireRoom(owner);
    if (growth > 0) await quotas.bytes.requireRoom(owner, growth);
}

export async function getQuotas(quotas: WalletQuotas, context: CallContext): Promise<GetQuotasResponse> {
    requireUser(context);
    const kinds = [quotas.wallets, quotas.credentials, quotas.bytes] as const;
    const [wallets, credentials, bytes] = await Promise.all(kinds.map((quota) => quota.read(context)));
    return { wallets, credentials, bytes };
}
