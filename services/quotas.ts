import type { CallContext } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import type { Tier } from '../proto/tiers.ts';
import { requireTier } from './tiers.ts';

/** Maximum that an account may store, by tier. */
export type Quota = Readonly<Record<Tier, number>>;

/** The quota of the account that a call acts for, by the tier of the call. */
export function quotaOf(quota: Quota, { tier = 'free' }: Pick<CallContext, 'tier'>): number {
    return quota[requireTier(tier)];
}

/** `what` names the quota, for example "wallets". */
export function quotaExceeded(what: string, limit: number): AppError {
    return new AppError('forbidden', `The account has reached its quota of ${limit} ${what}.`);
}
