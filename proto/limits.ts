/** Bounds of the contracts: the gateway's schemas tell them, and the services hold every caller to them. */

/** Of the JSON of a credential's claims, in bytes. */
export const MAX_CLAIMS_BYTES = 64 << 10;
/** Of the JSON of the metadata that a wallet keeps beside a credential, in bytes. */
export const MAX_METADATA_BYTES = 16 << 10;
/** Rows on one page of a list. */
export const MAX_PAGE_ROWS = 1_000;
/** Users in one batch. */
export const MAX_USERS = 1_000;
/** Credentials in one presentation, and tokens that are verified by one call. */
export const MAX_PRESENTED_CREDENTIALS = 100;
