import type { Quota } from '../../../services/quotas.ts';

/** A quota that no test reaches. */
export const AMPLE: Quota = { free: 1e9, basic: 1e9, pro: 1e9, enterprise: 1e9 };
