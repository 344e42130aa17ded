/** What keys of issuers sign with, as JOSE names it: Ed25519 (RFC 8037), or ECDSA on P-256 with SHA-256 (RFC 7518). */
export const KEY_ALGORITHMS = ['EdDSA', 'ES256'] as const;

export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number];

/** The algorithm of a key if nobody names one. Only such a key signs PASETO tokens. */
export const DEFAULT_KEY_ALGORITHM: KeyAlgorithm = 'EdDSA';
