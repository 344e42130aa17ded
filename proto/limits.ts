/** Limits of the gRPC contracts. The gateway's schemas state them, and the services enforce them for every caller. */

/** Largest JSON text of a credential's claims, in bytes. Beyond it: `invalid`. */
export const MAX_CLAIMS_BYTES = 64 << 10;
/** Maximum number of disclosures of an SD-JWT. Beyond it: `invalid` when it is made, and it does not verify. */
export const MAX_DISCLOSURES = 1_000;
/** Largest JSON text of the metadata that a wallet stores with a credential, in bytes. Beyond it: `invalid`. */
export const MAX_METADATA_BYTES = 16 << 10;
/**
 * Maximum number of rows on one page of a list. Beyond it: `invalid` for a greater `limit`; a whole list is read page
 * by page.
 */
export const MAX_PAGE_ROWS = 1_000;
/** Maximum number of credentials in one batch. Beyond it: `invalid`. */
export const MAX_BATCH_ITEMS = 1_000;
/** Maximum number of users in one batch. Beyond it: `invalid`. */
export const MAX_USERS = 1_000;
/** Maximum number of users in one call of ImportUsers. Beyond it: `invalid`; the gateway makes several calls. */
export const MAX_IMPORTED_USERS = 500;
/**
 * Maximum number of credentials in one presentation, and of `credentials` that one VerifyMany checks. Beyond it:
 * `invalid`.
 */
export const MAX_PRESENTED_CREDENTIALS = 100;
/** Maximum number of scopes of an API key. Beyond it: 400. */
export const MAX_KEY_SCOPES = 32;
/** Maximum number of networks that an API key may be used from. Beyond it: 400. */
export const MAX_KEY_NETWORKS = 32;
/** Longest time for which a replaced API key still works, or a replaced secret still signs, in seconds. Beyond it: 400. */
export const MAX_OVERLAP_SECONDS = 2_592_000;
/** How long a replaced API key still works unless the caller says otherwise, in seconds. Beyond it: 401. */
export const DEFAULT_OVERLAP_SECONDS = 86_400;
/** Most calls that one check of an API key counts as. Beyond it: 400. */
export const MAX_CHECK_COST = 1_000;
/**
 * How long a verifier, a client or a proxy may keep a status list before it fetches it again, in seconds. Beyond it:
 * they ask again.
 */
export const TTL_SECONDS = 60;
/**
 * How long a process may use what it has read about an issuer without reading it again, in milliseconds. A call that
 * changes an issuer answers only after this time. So what it changed is in force everywhere when its caller has the
 * answer, and most calls need no query. Beyond it: it reads the issuer again.
 */
export const ISSUER_LEASE_MS = 1_000;
/** Maximum size of what is sent to a webhook, in bytes. Beyond it: `invalid`. */
export const MAX_WEBHOOK_BYTES = 20 << 10;
/** Maximum length of the description of a webhook, in characters. Beyond it: `invalid`. */
export const MAX_WEBHOOK_DESCRIPTION = 500;
/** Longest time of which events are sent again in one call, in days. Beyond it: `invalid`. */
export const MAX_REPLAY_DAYS = 31;
/** Maximum length of the reason for the suspension of an account, in characters. Beyond it: `invalid`. */
export const MAX_SUSPENSION_REASON = 500;
/** Maximum length of the name of an account, a key or a wallet, in characters (code points). Beyond it: `invalid`. */
export const MAX_NAME_LENGTH = 255;
/** Maximum number of configurations of an issuer. Beyond it: `conflict`. */
export const MAX_CONFIGURATIONS = 32;
/** Maximum size of a configuration as JSON, in bytes. Beyond it: `invalid`. */
export const MAX_CONFIGURATION_BYTES = 16 << 10;
/** Maximum number of languages in which a configuration or a claim of it is described. Beyond it: `invalid`. */
export const MAX_DISPLAYS = 16;
/** Maximum number of claims that a configuration describes. Beyond it: `invalid`. */
export const MAX_DESCRIBED_CLAIMS = 100;
/** Maximum number of names, indexes and nulls in the path of a described claim. Beyond it: `invalid`. */
export const MAX_CLAIM_PATH = 16;
/** Highest index in such a path. The arrays of a credential are shorter. Beyond it: `invalid`. */
export const MAX_CLAIM_INDEX = 65_535;
/** Maximum number of keys for which one offer issues credentials. Beyond it: `invalid`. */
export const MAX_OFFER_KEYS = 20;
/** Longest time for which an offer can be accepted, in seconds. Beyond it: `invalid`. */
export const MAX_OFFER_SECONDS = 86_400;
/** How long an offer can be accepted unless its maker says otherwise, in seconds. Beyond it: it has expired. */
export const DEFAULT_OFFER_SECONDS = 900;
/** Bounds of the length of a transaction code, in characters. Beyond it: `invalid`. */
export const TX_CODE_LENGTH = { min: 4, max: 8, default: 6 };
/** Maximum length of what a wallet tells its holder about a transaction code, in characters. Beyond it: `invalid`. */
export const MAX_TX_CODE_DESCRIPTION = 300;
