/** The outcomes of KeysService.Check. */
export const CHECK_CODES = [
    'valid',
    'not_found',
    'revoked',
    'suspended',
    'expired',
    'address_not_allowed',
    'missing_scope',
    'rate_limited',
] as const;

export type CheckCode = (typeof CHECK_CODES)[number];
