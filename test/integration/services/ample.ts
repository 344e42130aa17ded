import type { ApproximateQuota } from '../../../services/approximate-quota.ts';
import type { Quota } from '../../../services/quotas.ts';

/** A quota that no test reaches. */
export const AMPLE: Quota = { free: 1e9, basic: 1e9, pro: 1e9, enterprise: 1e9 };

/** A quota that has room for everything. */
export const NO_QUOTA: ApproximateQuota = {
    requireRoom: async () => {},
    read: async () => ({ used: 0, limit: 1 }),
};
