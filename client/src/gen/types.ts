// Generated from the OpenAPI document by "npm run client". Do not edit.

/** The kinds of refusals. */
export type ErrorCode =
    | 'invalid'
    | 'unauthenticated'
    | 'forbidden'
    | 'not_found'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'conflict'
    | 'unprocessable'
    | 'too_large'
    | 'unsupported_media_type'
    | 'rate_limited'
    | 'headers_too_large'
    | 'internal'
    | 'unavailable'
    | 'deadline';

export interface KeysGenerateInput {
    /** Display name. White space at both ends is removed. */
    name: string;
    /** Tier, which sets the number of requests per minute. */
    tier?: 'free' | 'basic' | 'pro' | 'enterprise' | null;
    /** When it expires. */
    expires_at?: string | null;
    /** What the key may be used for. Absent: for everything. */
    scopes?: Array<
        | 'credentials:issue'
        | 'credentials:verify'
        | 'credentials:revoke'
        | 'credentials:read'
        | 'dids:create'
        | 'dids:read'
        | 'presentations:create'
        | 'presentations:verify'
        | 'wallets:create'
        | 'wallets:open'
        | 'wallets:write'
        | 'issuers:read'
        | 'issuers:manage'
        | 'events:read'
        | 'webhooks:manage'
        | 'credentials:*'
        | 'dids:*'
        | 'presentations:*'
        | 'wallets:*'
        | 'issuers:*'
        | 'events:*'
        | 'webhooks:*'
    > | null;
    /** Networks that the key may be used from, in CIDR notation. Absent: from everywhere. */
    allowed_addresses?: string[] | null;
}

export interface KeysGenerateData {
    /** Id of an API key. */
    key_id: string;
    /** The complete key, for `Authorization: Bearer`. It is shown only once. */
    api_key: string;
    /** Display name. White space at both ends is removed. */
    name: string;
    /** Tier, which sets the number of requests per minute. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** Requests per minute. */
    rate_limit: number;
    /** When it was created. */
    created_at: string;
    /** When this key was last used, at most two seconds late. Null before the first call. */
    last_used_at: null;
    /** When it expires. */
    expires_at?: string;
    /** What the key may be used for. Absent: for everything. */
    scopes?: string[];
    /** Networks that the key may be used from, in CIDR notation. Absent: from everywhere. */
    allowed_addresses?: string[];
}

export interface KeysListInput {
    /** Rows per page, 1 to 1,000. Without it the answer contains the whole list. */
    limit?: number;
    /** Start of the page, from the `Link` header of the previous page. */
    cursor?: string;
}

export interface KeysListData {
    /** API keys, newest first. */
    keys: Array<{
        /** Id of an API key. */
        key_id: string;
        /** Display name. White space at both ends is removed. */
        name: string;
        /** The masked key. */
        key_prefix: string;
        /** Tier, which sets the number of requests per minute. */
        tier: 'free' | 'basic' | 'pro' | 'enterprise';
        /** Requests per minute. */
        rate_limit: number;
        /** When it was created. */
        created_at: string;
        /** When this key was last used, at most two seconds late. Null before the first call. */
        last_used_at: string | null;
        /** Whether the key is neither revoked nor expired. */
        active: boolean;
        /** When it expires. */
        expires_at?: string;
        /** What the key may be used for. Absent: for everything. */
        scopes?: string[];
        /** Networks that the key may be used from, in CIDR notation. Absent: from everywhere. */
        allowed_addresses?: string[];
        /** Id of the key that has replaced this one. Absent if it was not replaced. */
        replaced_by?: string;
    }>;
    /** Total number. */
    total: number;
}

export interface KeysGetInput {
    /** Id of an API key. */
    key_id: string;
}

export interface KeysGetData {
    /** Id of an API key. */
    key_id: string;
    /** Display name. White space at both ends is removed. */
    name: string;
    /** The masked key. */
    key_prefix: string;
    /** Tier, which sets the number of requests per minute. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** Requests per minute. */
    rate_limit: number;
    /** When it was created. */
    created_at: string;
    /** When this key was last used, at most two seconds late. Null before the first call. */
    last_used_at: string | null;
    /** Whether the key is neither revoked nor expired. */
    active: boolean;
    /** When it expires. */
    expires_at?: string;
    /** What the key may be used for. Absent: for everything. */
    scopes?: string[];
    /** Networks that the key may be used from, in CIDR notation. Absent: from everywhere. */
    allowed_addresses?: string[];
    /** Id of the key that has replaced this one. Absent if it was not replaced. */
    replaced_by?: string;
    /** Number of calls with this key, at most two seconds late. */
    usage: {
        /** Requests since 00:00 UTC. */
        requests_today: number;
        /** Requests since the month began, in UTC. */
        requests_this_month: number;
    };
}

export interface KeysRevokeInput {
    /** Id of an API key. */
    key_id: string;
}

export interface KeysRevokeData {
    /** Id of an API key. */
    key_id: string;
    /** When it was revoked. */
    revoked_at: string;
}

export interface KeysUpdateInput {
    /** Id of an API key. */
    key_id: string;
    /** Display name. White space at both ends is removed. */
    name?: string | null;
    /** When it expires. */
    expires_at?: string | null;
    /** What the key may be used for. Absent: for everything. */
    scopes?: Array<
        | 'credentials:issue'
        | 'credentials:verify'
        | 'credentials:revoke'
        | 'credentials:read'
        | 'dids:create'
        | 'dids:read'
        | 'presentations:create'
        | 'presentations:verify'
        | 'wallets:create'
        | 'wallets:open'
        | 'wallets:write'
        | 'issuers:read'
        | 'issuers:manage'
        | 'events:read'
        | 'webhooks:manage'
        | 'credentials:*'
        | 'dids:*'
        | 'presentations:*'
        | 'wallets:*'
        | 'issuers:*'
        | 'events:*'
        | 'webhooks:*'
    > | null;
    /** Networks that the key may be used from, in CIDR notation. Absent: from everywhere. */
    allowed_addresses?: string[] | null;
}

export interface KeysUpdateData {
    /** Id of an API key. */
    key_id: string;
    /** Display name. White space at both ends is removed. */
    name: string;
    /** When it was changed. */
    updated_at: string;
    /** When it expires. */
    expires_at?: string;
    /** What the key may be used for. Absent: for everything. */
    scopes?: string[];
    /** Networks that the key may be used from, in CIDR notation. Absent: from everywhere. */
    allowed_addresses?: string[];
}

export interface KeysRenameInput {
    /** Id of an API key. */
    key_id: string;
    /** Display name. White space at both ends is removed. */
    name?: string | null;
    /** When it expires. */
    expires_at?: string | null;
    /** What the key may be used for. Absent: for everything. */
    scopes?: Array<
        | 'credentials:issue'
        | 'credentials:verify'
        | 'credentials:revoke'
        | 'credentials:read'
        | 'dids:create'
        | 'dids:read'
        | 'presentations:create'
        | 'presentations:verify'
        | 'wallets:create'
        | 'wallets:open'
        | 'wallets:write'
        | 'issuers:read'
        | 'issuers:manage'
        | 'events:read'
        | 'webhooks:manage'
        | 'credentials:*'
        | 'dids:*'
        | 'presentations:*'
        | 'wallets:*'
        | 'issuers:*'
        | 'events:*'
        | 'webhooks:*'
    > | null;
    /** Networks that the key may be used from, in CIDR notation. Absent: from everywhere. */
    allowed_addresses?: string[] | null;
}

export interface KeysRenameData {
    /** Id of an API key. */
    key_id: string;
    /** Display name. White space at both ends is removed. */
    name: string;
    /** When it was changed. */
    updated_at: string;
    /** When it expires. */
    expires_at?: string;
    /** What the key may be used for. Absent: for everything. */
    scopes?: string[];
    /** Networks that the key may be used from, in CIDR notation. Absent: from everywhere. */
    allowed_addresses?: string[];
}

export interface KeysRotateInput {
    /** Id of the new key. In the path: id of the key to replace. */
    key_id: string;
    /** Seconds for which the old key still works. With 0 it is revoked at once. */
    overlap_seconds?: number | null;
}

export interface KeysRotateData {
    /** Id of the new key. In the path: id of the key to replace. */
    key_id: string;
    /** The complete new key, for `Authorization: Bearer`. It is shown only once. */
    api_key: string;
    /** Display name. White space at both ends is removed. */
    name: string;
    /** Tier, which sets the number of requests per minute. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** Requests per minute. */
    rate_limit: number;
    /** When it was created. */
    created_at: string;
    /** When this key was last used, at most two seconds late. Null before the first call. */
    last_used_at: null;
    /** When it expires. */
    expires_at?: string;
    /** What the key may be used for. Absent: for everything. */
    scopes?: string[];
    /** Networks that the key may be used from, in CIDR notation. Absent: from everywhere. */
    allowed_addresses?: string[];
    /** The old key, and when it ends. */
    replaces: {
        /** Id of the new key. In the path: id of the key to replace. */
        key_id: string;
        /** When it expires. */
        expires_at: string;
    };
}

export interface DidCreateInput {
    /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
    public_key?: string | null;
}

export interface DidCreateData {
    /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
    did: string;
    /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
    public_key: string;
    /** Ed25519 private key in base64: seed (32 bytes), then public key. A new DID shows it only once. */
    private_key?: string;
}

export interface DidResolveInput {
    /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
    did: string;
    /** Whether to resolve a valid DID even if it is not recorded here. Default: false. */
    derive?: boolean;
}

export interface DidResolveData {
    /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
    did: string;
    /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
    public_key: string;
}

export interface DidDocumentInput {
    /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
    did: string;
    /** Whether to resolve a valid DID even if it is not recorded here. Default: false. */
    derive?: boolean;
}

export interface DidDocumentData {
    /** DID document (W3C DID Core). */
    document: {
        /** JSON-LD contexts. */
        '@context': string[];
        /** The DID, or the DID and the fragment of a key. */
        id: string;
        /** Keys that authenticate the DID. */
        authentication: string[];
        /** Keys that sign credentials. */
        assertionMethod: string[];
        /** The public keys of the DID. */
        verificationMethod: Array<{
            /** The DID, or the DID and the fragment of a key. */
            id: string;
            /** Type of the key. */
            type: string;
            /** The DID that controls the key. */
            controller: string;
            /** Multicodec key in base58btc. */
            publicKeyMultibase: string;
        }>;
        /** Keys that invoke capabilities. */
        capabilityInvocation: string[];
        /** Keys that delegate capabilities. */
        capabilityDelegation: string[];
    };
}

export interface IssuersCreateInput {
    /** Display name. White space at both ends is removed. */
    name: string;
    /** DID method of the issuer. */
    method: 'key' | 'web';
    /** What the key signs with. PASETO tokens need `EdDSA`. */
    alg?: 'EdDSA' | 'ES256';
}

export interface IssuersCreateData {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
    did: string;
    /** DID method of the issuer. */
    method: 'key' | 'web';
    /** Display name. White space at both ends is removed. */
    name: string;
    /** When it was created. */
    created_at: string;
    /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
    kid: string;
    /** What the key signs with. PASETO tokens need `EdDSA`. */
    alg: 'EdDSA' | 'ES256';
    /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
    public_key: string;
}

export interface IssuersListInput {
    /** Rows per page, 1 to 1,000. Without it the answer contains the whole list. */
    limit?: number;
    /** Start of the page, from the `Link` header of the previous page. */
    cursor?: string;
}

export interface IssuersListData {
    /** Issuers, newest first. */
    issuers: Array<{
        /** Id of a managed issuer. */
        issuer_id: string;
        /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
        did: string;
        /** DID method of the issuer. */
        method: 'key' | 'web';
        /** Display name. White space at both ends is removed. */
        name: string;
        /** When it was created. */
        created_at: string;
        /** When it was archived. Absent if it still signs. */
        archived_at?: string;
        /** The keys of the issuer, newest first. */
        keys: Array<{
            /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
            kid: string;
            /** What the key signs with. PASETO tokens need `EdDSA`. */
            alg: 'EdDSA' | 'ES256';
            /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
            public_key: string;
            /** `active` signs. `retired` only verifies. `compromised` does neither. */
            state: 'active' | 'retired' | 'compromised';
            /** When it was created. */
            created_at: string;
            /** When another key replaced it. Absent if it is active. */
            retired_at?: string;
            /** When it was marked as compromised. */
            compromised_at?: string;
            /** Why it was revoked. */
            reason?: string;
        }>;
    }>;
    /** Total number. */
    total: number;
}

export interface IssuersGetInput {
    /** Id of a managed issuer. */
    issuer_id: string;
}

export interface IssuersGetData {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
    did: string;
    /** DID method of the issuer. */
    method: 'key' | 'web';
    /** Display name. White space at both ends is removed. */
    name: string;
    /** When it was created. */
    created_at: string;
    /** When it was archived. Absent if it still signs. */
    archived_at?: string;
    /** The keys of the issuer, newest first. */
    keys: Array<{
        /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
        kid: string;
        /** What the key signs with. PASETO tokens need `EdDSA`. */
        alg: 'EdDSA' | 'ES256';
        /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
        public_key: string;
        /** `active` signs. `retired` only verifies. `compromised` does neither. */
        state: 'active' | 'retired' | 'compromised';
        /** When it was created. */
        created_at: string;
        /** When another key replaced it. Absent if it is active. */
        retired_at?: string;
        /** When it was marked as compromised. */
        compromised_at?: string;
        /** Why it was revoked. */
        reason?: string;
    }>;
}

export interface IssuersArchiveInput {
    /** Id of a managed issuer. */
    issuer_id: string;
}

export interface IssuersArchiveData {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
    did: string;
    /** DID method of the issuer. */
    method: 'key' | 'web';
    /** Display name. White space at both ends is removed. */
    name: string;
    /** When it was created. */
    created_at: string;
    /** When it was archived. Absent if it still signs. */
    archived_at?: string;
    /** The keys of the issuer, newest first. */
    keys: Array<{
        /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
        kid: string;
        /** What the key signs with. PASETO tokens need `EdDSA`. */
        alg: 'EdDSA' | 'ES256';
        /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
        public_key: string;
        /** `active` signs. `retired` only verifies. `compromised` does neither. */
        state: 'active' | 'retired' | 'compromised';
        /** When it was created. */
        created_at: string;
        /** When another key replaced it. Absent if it is active. */
        retired_at?: string;
        /** When it was marked as compromised. */
        compromised_at?: string;
        /** Why it was revoked. */
        reason?: string;
    }>;
}

export interface IssuersRotateInput {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** What the key signs with. PASETO tokens need `EdDSA`. */
    alg?: 'EdDSA' | 'ES256';
}

export interface IssuersRotateData {
    /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
    kid: string;
    /** What the key signs with. PASETO tokens need `EdDSA`. */
    alg: 'EdDSA' | 'ES256';
    /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
    public_key: string;
    /** When it was created. */
    created_at: string;
    /** The key that was active before for this algorithm. Absent if there was none. */
    previous?: string;
}

export interface IssuersMarkCompromisedInput {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
    kid: string;
    /** Why the key is compromised: at most 2,000 characters. */
    reason?: string | null;
}

export interface IssuersMarkCompromisedData {
    /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
    kid: string;
    /** What the key signs with. PASETO tokens need `EdDSA`. */
    alg: 'EdDSA' | 'ES256';
    /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
    public_key: string;
    /** `active` signs. `retired` only verifies. `compromised` does neither. */
    state: 'active' | 'retired' | 'compromised';
    /** When it was created. */
    created_at: string;
    /** When another key replaced it. Absent if it is active. */
    retired_at?: string;
    /** When it was marked as compromised. */
    compromised_at?: string;
    /** Why the key is compromised: at most 2,000 characters. */
    reason?: string;
}

export interface IssuersDocumentInput {
    /** Id of a managed issuer. */
    issuer_id: string;
}

export interface IssuersDocumentData {
    /** JSON-LD contexts. */
    '@context': string[];
    /** The DID, or the DID and the fragment of a key. */
    id: string;
    /** Keys that authenticate the DID. */
    authentication: string[];
    /** Keys that sign credentials. */
    assertionMethod: string[];
    /** The public keys of the DID. */
    verificationMethod: Array<{
        /** The DID, or the DID and the fragment of a key. */
        id: string;
        /** Type of the key. */
        type: string;
        /** The DID that controls the key. */
        controller: string;
        /** Multicodec key in base58btc. */
        publicKeyMultibase?: string;
        /** The key as a JWK (RFC 7517). */
        publicKeyJwk?: {
            /** Type of the key: `OKP`, or `EC` for P-256. */
            kty: string;
            /** Curve of the key: `Ed25519` or `P-256`. */
            crv: string;
            /** The key, or its x coordinate, in base64url. */
            x: string;
            /** Its y coordinate in base64url. Absent for Ed25519. */
            y: string;
        };
    }>;
}

export interface CredentialsIssueInput {
    /** DID of the issuer: a did:key, or a did:web of this service. */
    issuer_did: string;
    /** The issuer's Ed25519 private key in base64: 32 bytes (seed) or 64. Left out for a managed issuer of the account. */
    issuer_private_key?: string | null;
    /** DID of the subject, of any method. That of a new credential has at most 1,024 characters. */
    subject_did: string;
    /** Type of the credential: any text. */
    credential_type: string;
    /** Statements about the subject: a JSON object of at most 64 KiB, signed exactly as sent. An SD-JWT has their values, not their spelling. */
    claims: Record<string, unknown>;
    /** ISO 8601 date, or date and time with an offset. Default: never. */
    expiration_date?: string | null;
    /** In a request: whether the credential gets a place on a status list, so that its revocation can be checked without asking this service. Default: false. In an answer: its place. */
    status_list?: boolean | null;
    /** The form of credentials: `dc+sd-jwt`. When one is issued without it, it is a PASETO. */
    format?: string | null;
    /** The type in credentials of this form: a URI. When one is issued, it is its `credential_type` by default. */
    vct?: string | null;
    /** What the holder may hide: JSON pointers into `claims`, also to parts of claims. Default: each claim as a whole. */
    disclosable?: string[] | null;
    /** The public key of the holder, as a JWK of P-256 or Ed25519. */
    holder_key?: Record<string, unknown> | null;
    /** A DID URL that names the key of the holder: of a did:key or did:jwk. */
    holder_did_url?: string | null;
}

export interface CredentialsIssueData {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** A credential: a PASETO v4 public token, or an SD-JWT VC if `format` was `dc+sd-jwt`. */
    credential: string;
    /** DID of the issuer. */
    issuer: string;
    /** DID of the subject. */
    subject: string;
    /** Type of the credential: any text. */
    credential_type: string;
    /** When it was issued. */
    issued_at: string;
    /** When it expires. */
    expires_at?: string;
    /** Where the status of the credential can be read, as its token says. Absent unless `status_list` was true. */
    status?: {
        /** In a request: whether the credential gets a place on a status list, so that its revocation can be checked without asking this service. Default: false. In an answer: its place. */
        status_list: {
            /** Index of the credential on the list. */
            idx: number;
            /** Address of the list. */
            uri: string;
            /** The did:key that signs the list. */
            iss: string;
        };
    };
}

export interface CredentialsVerifyInput {
    /** A credential: a PASETO v4 public token, or an SD-JWT VC if `format` was `dc+sd-jwt`. */
    credential: string;
    /** DID of the issuer: a did:key, or a did:web of this service. */
    issuer_did: string;
    /** Whether to check for revocation too. Default: false. */
    check_revocation?: boolean | null;
}

export interface CredentialsVerifyData {
    /** Whether all checks passed. */
    valid: boolean;
    /** DID of the issuer. */
    issuer?: string;
    /** DID of the subject. */
    subject?: string;
    /** Type of the credential: any text. */
    credential_type?: string;
    /** Statements about the subject: a JSON object of at most 64 KiB, signed exactly as sent. An SD-JWT has their values, not their spelling. */
    claims?: Record<string, unknown>;
    /** Only of an SD-JWT: the claims that its holder could have hidden and has disclosed, as JSON pointers into `claims`. */
    disclosed?: string[];
    /** When it was issued. */
    issued_at?: string;
    /** When it expires. */
    expires_at?: string;
    /** Whether it is revoked. False if that was not checked. */
    revoked: boolean;
    /** Whether it has expired. */
    expired: boolean;
    /** Why it is invalid. */
    error?: string;
}

export interface CredentialsRevokeInput {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** DID of the issuer: a did:key, or a did:web of this service. */
    issuer_did: string;
    /** Why it was revoked. */
    reason?: string | null;
}

export interface CredentialsRevokeData {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** Whether it is revoked. False if that was not checked. */
    revoked: boolean;
    /** When it was revoked. */
    revoked_at?: string;
    /** Why it was revoked. */
    reason?: string;
}

export interface CredentialsStatusInput {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
}

export interface CredentialsStatusData {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** Whether it is revoked. False if that was not checked. */
    revoked: boolean;
    /** When it was revoked. */
    revoked_at?: string;
    /** Why it was revoked. */
    reason?: string;
}

export interface CredentialsByIssuerInput {
    /** DID of the issuer: a did:key, or a did:web of this service. */
    issuer_did: string;
    /** Rows per page, 1 to 1,000. Without it the answer contains the whole list. */
    limit?: number;
    /** Start of the page, from the `Link` header of the previous page. */
    cursor?: string;
}

export interface CredentialsByIssuerData {
    /** Credentials. In statistics: their counts. */
    credentials: Array<{
        /** Id of a credential: `urn:uuid:…`. */
        credential_id: string;
        /** DID of the issuer. */
        issuer?: string;
        /** DID of the subject. */
        subject?: string;
        /** Type of the credential: any text. */
        credential_type: string;
        /** When it was issued. */
        issued_at: string;
        /** When it expires. */
        expires_at?: string;
        /** Whether it is revoked. False if that was not checked. */
        revoked: boolean;
    }>;
    /** Total number. */
    total: number;
}

export interface CredentialsBySubjectInput {
    /** DID of the subject, of any method. That of a new credential has at most 1,024 characters. */
    subject_did: string;
    /** Rows per page, 1 to 1,000. Without it the answer contains the whole list. */
    limit?: number;
    /** Start of the page, from the `Link` header of the previous page. */
    cursor?: string;
}

export interface CredentialsBySubjectData {
    /** Credentials. In statistics: their counts. */
    credentials: Array<{
        /** Id of a credential: `urn:uuid:…`. */
        credential_id: string;
        /** DID of the issuer. */
        issuer?: string;
        /** DID of the subject. */
        subject?: string;
        /** Type of the credential: any text. */
        credential_type: string;
        /** When it was issued. */
        issued_at: string;
        /** When it expires. */
        expires_at?: string;
        /** Whether it is revoked. False if that was not checked. */
        revoked: boolean;
    }>;
    /** Total number. */
    total: number;
}

export interface CredentialsBatchIssueInput {
    /** DID of the issuer: a did:key, or a did:web of this service. An item need not repeat it, and may name no other. */
    issuer_did: string;
    /** The issuer's Ed25519 private key in base64: 32 bytes (seed) or 64. Left out for a managed issuer of the account. */
    issuer_private_key?: string | null;
    /** In a request: whether the credential gets a place on a status list, so that its revocation can be checked without asking this service. Default: false. In an answer: its place. */
    status_list?: boolean | null;
    /** The items of the batch: 1 to 1,000. */
    items: Array<{
        /** DID of the subject, of any method. That of a new credential has at most 1,024 characters. */
        subject_did: string;
        /** Type of the credential: any text. */
        credential_type: string;
        /** Statements about the subject: a JSON object of at most 64 KiB, signed exactly as sent. An SD-JWT has their values, not their spelling. */
        claims: Record<string, unknown>;
        /** ISO 8601 date, or date and time with an offset. Default: never. */
        expiration_date?: string | null;
        /** DID of the issuer: a did:key, or a did:web of this service. An item need not repeat it, and may name no other. */
        issuer_did?: string | null;
        /** In a request: whether the credential gets a place on a status list, so that its revocation can be checked without asking this service. Default: false. In an answer: its place. */
        status_list?: boolean | null;
        /** The form of credentials: `dc+sd-jwt`. When one is issued without it, it is a PASETO. */
        format?: string | null;
        /** The type in credentials of this form: a URI. When one is issued, it is its `credential_type` by default. */
        vct?: string | null;
        /** What the holder may hide: JSON pointers into `claims`, also to parts of claims. Default: each claim as a whole. */
        disclosable?: string[] | null;
        /** The public key of the holder, as a JWK of P-256 or Ed25519. */
        holder_key?: Record<string, unknown> | null;
        /** A DID URL that names the key of the holder: of a did:key or did:jwk. */
        holder_did_url?: string | null;
    }>;
}

export interface CredentialsBatchIssueData {
    /** A result for each item, in the order in which they were sent. */
    results: Array<
        | {
              /** Id of a credential: `urn:uuid:…`. */
              credential_id: string;
              /** A credential: a PASETO v4 public token, or an SD-JWT VC if `format` was `dc+sd-jwt`. */
              credential: string;
              /** DID of the issuer. */
              issuer: string;
              /** DID of the subject. */
              subject: string;
              /** Type of the credential: any text. */
              credential_type: string;
              /** When it was issued. */
              issued_at: string;
              /** When it expires. */
              expires_at?: string;
              /** Where the status of the credential can be read, as its token says. Absent unless `status_list` was true. */
              status?: {
                  /** In a request: whether the credential gets a place on a status list, so that its revocation can be checked without asking this service. Default: false. In an answer: its place. */
                  status_list: {
                      /** Index of the credential on the list. */
                      idx: number;
                      /** Address of the list. */
                      uri: string;
                      /** The did:key that signs the list. */
                      iss: string;
                  };
              };
              /** Place of the item in the batch. The first is 0. */
              index: number;
              /** Whether the item succeeded. */
              ok: true;
          }
        | {
              /** Place of the item in the batch. The first is 0. */
              index: number;
              /** Whether the item succeeded. */
              ok: false;
              /** Kind of the error, as `X-Error-Code` shows it for a single call. */
              code: string;
              /** Why the item failed. */
              error: string;
          }
    >;
    /** Number of items that succeeded. */
    total_succeeded: number;
    /** Number of items that failed. */
    total_failed: number;
}

export interface CredentialsBatchVerifyInput {
    /** The items of the batch: 1 to 1,000. */
    items: Array<{
        /** A credential: a PASETO v4 public token, or an SD-JWT VC if `format` was `dc+sd-jwt`. */
        credential: string;
        /** DID of the issuer: a did:key, or a did:web of this service. Default: the issuer that the credential names. */
        issuer_did?: string | null;
        /** Whether to check for revocation too. The value beside `items` applies to all items without their own. Default: false. */
        check_revocation?: boolean | null;
    }>;
    /** Whether to check for revocation too. The value beside `items` applies to all items without their own. Default: false. */
    check_revocation?: boolean | null;
}

export interface CredentialsBatchVerifyData {
    /** A result for each item, in the order in which they were sent. */
    results: Array<
        | {
              /** Whether all checks passed. */
              valid: boolean;
              /** DID of the issuer. */
              issuer?: string;
              /** DID of the subject. */
              subject?: string;
              /** Type of the credential: any text. */
              credential_type?: string;
              /** Statements about the subject: a JSON object of at most 64 KiB, signed exactly as sent. An SD-JWT has their values, not their spelling. */
              claims?: Record<string, unknown>;
              /** Only of an SD-JWT: the claims that its holder could have hidden and has disclosed, as JSON pointers into `claims`. */
              disclosed?: string[];
              /** When it was issued. */
              issued_at?: string;
              /** When it expires. */
              expires_at?: string;
              /** Whether it is revoked. False if that was not checked. */
              revoked: boolean;
              /** Whether it has expired. */
              expired: boolean;
              /** Why the credential is invalid, or why the item failed. */
              error?: string;
              /** Place of the item in the batch. The first is 0. */
              index: number;
              /** Whether the item succeeded. */
              ok: true;
          }
        | {
              /** Place of the item in the batch. The first is 0. */
              index: number;
              /** Whether the item succeeded. */
              ok: false;
              /** Kind of the error, as `X-Error-Code` shows it for a single call. */
              code: string;
              /** Why the credential is invalid, or why the item failed. */
              error: string;
          }
    >;
    /** Number of items that succeeded. */
    total_succeeded: number;
    /** Number of items that failed. */
    total_failed: number;
}

export interface CredentialsBatchRevokeInput {
    /** DID of the issuer: a did:key, or a did:web of this service. */
    issuer_did: string;
    /** Why it was revoked. The value beside `items` applies to all items without their own. */
    reason?: string | null;
    /** The items of the batch: 1 to 1,000. */
    items: Array<{
        /** Id of a credential: `urn:uuid:…`. */
        credential_id: string;
        /** Why it was revoked. The value beside `items` applies to all items without their own. */
        reason?: string | null;
    }>;
}

export interface CredentialsBatchRevokeData {
    /** A result for each item, in the order in which they were sent. */
    results: Array<
        | {
              /** Id of a credential: `urn:uuid:…`. */
              credential_id: string;
              /** Whether it is revoked. False if that was not checked. */
              revoked: boolean;
              /** When it was revoked. */
              revoked_at?: string;
              /** Why it was revoked. The value beside `items` applies to all items without their own. */
              reason?: string;
              /** Place of the item in the batch. The first is 0. */
              index: number;
              /** Whether the item succeeded. */
              ok: true;
          }
        | {
              /** Place of the item in the batch. The first is 0. */
              index: number;
              /** Whether the item succeeded. */
              ok: false;
              /** Kind of the error, as `X-Error-Code` shows it for a single call. */
              code: string;
              /** Why the item failed. */
              error: string;
          }
    >;
    /** Number of items that succeeded. */
    total_succeeded: number;
    /** Number of items that failed. */
    total_failed: number;
}

export interface CredentialsBatchStatusInput {
    /** Ids of credentials: 1 to 1,000. */
    credential_ids: string[];
}

export interface CredentialsBatchStatusData {
    /** A result for each item, in the order in which they were sent. */
    results: Array<
        | {
              /** Id of a credential: `urn:uuid:…`. */
              credential_id: string;
              /** Whether it is revoked. False if that was not checked. */
              revoked: boolean;
              /** When it was revoked. */
              revoked_at?: string;
              /** Why it was revoked. */
              reason?: string;
              /** Place of the item in the batch. The first is 0. */
              index: number;
              /** Whether the item succeeded. */
              ok: true;
          }
        | {
              /** Place of the item in the batch. The first is 0. */
              index: number;
              /** Whether the item succeeded. */
              ok: false;
              /** Kind of the error, as `X-Error-Code` shows it for a single call. */
              code: string;
              /** Why the item failed. */
              error: string;
          }
    >;
    /** Number of items that succeeded. */
    total_succeeded: number;
    /** Number of items that failed. */
    total_failed: number;
}

export interface StatusListsListData {
    /** Addresses of the lists, newest first. */
    status_lists: string[];
}

export interface StatusListsGetInput {
    /** Id of a status list. */
    list_id: string;
    /** Not supported: a list of an earlier time is refused with 400. */
    time?: string;
}

export type StatusListsGetData = string;

export interface PresentationsCreateInput {
    /** DID of the holder: a did:key, or a did:web of this service. */
    holder_did: string;
    /** The holder's Ed25519 private key in base64: 32 bytes (seed) or 64. Left out for a managed issuer of the account. */
    holder_private_key?: string | null;
    /** Credentials. In statistics: their counts. */
    credentials: string[];
    /** DID of the verifier that the presentation is for. */
    audience: string;
    /** The verifier's challenge. */
    nonce?: string | null;
    /** Domain that the presentation is bound to. */
    domain?: string | null;
}

export interface PresentationsCreateData {
    /** Id of a presentation: `urn:uuid:…`. */
    presentation_id: string;
    /** A presentation: a PASETO v4 public token. */
    presentation: string;
    /** DID of the holder. */
    holder: string;
    /** DID of the verifier that the presentation is for. */
    audience: string;
    /** Number of credentials in the presentation. */
    credentials_count: number;
    /** When it was created. */
    created_at: string;
}

export interface PresentationsVerifyInput {
    /** A presentation: a PASETO v4 public token. */
    presentation: string;
    /** DID of the verifier that the presentation is for. */
    audience: string;
    /** The verifier's challenge. */
    nonce?: string | null;
    /** Whether to check the credentials in the presentation too. Default: true. */
    verify_credentials?: boolean | null;
    /** Whether to check for revocation too. Default: false. */
    check_revocation?: boolean | null;
}

export interface PresentationsVerifyData {
    /** Whether all checks passed. */
    valid: boolean;
    /** DID of the holder. */
    holder?: string;
    /** DID of the verifier that the presentation is for. */
    audience?: string;
    /** Whether the nonce matches. Absent if the request has no nonce. */
    nonce_valid?: boolean;
    /** Results of checking the credentials. */
    credentials?: Array<{
        /** Whether all checks passed. */
        valid: boolean;
        /** DID of the issuer. */
        issuer?: string;
        /** DID of the subject. */
        subject?: string;
        /** Type of the credential: any text. */
        credential_type?: string;
        /** Statements about the subject: a JSON object of at most 64 KiB, signed exactly as sent. An SD-JWT has their values, not their spelling. */
        claims?: Record<string, unknown>;
        /** Only of an SD-JWT: the claims that its holder could have hidden and has disclosed, as JSON pointers into `claims`. */
        disclosed?: string[];
        /** When it was issued. */
        issued_at?: string;
        /** When it expires. */
        expires_at?: string;
        /** Whether it is revoked. False if that was not checked. */
        revoked: boolean;
        /** Whether it has expired. */
        expired: boolean;
        /** Why it is invalid. */
        error?: string;
    }>;
    /** When it was created. */
    created_at?: string;
    /** Why it is invalid. */
    error?: string;
    /** The audience that the request named. */
    expected_audience?: string;
    /** The audience that the presentation names. */
    actual_audience?: string;
}

export interface WalletsCreateInput {
    /** Display name. White space at both ends is removed. */
    name: string;
    /** Password of the wallet: 1 to 1,024 bytes. */
    password: string;
    /** Purpose of the wallet: at most 2,000 characters. */
    description?: string | null;
}

export interface WalletsCreateData {
    /** Id of a wallet. */
    wallet_id: string;
    /** Display name. White space at both ends is removed. */
    name: string;
    /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
    did: string;
    /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
    public_key: string;
    /** When it was created. */
    created_at: string;
}

export interface WalletsOpenInput {
    /** Id of a wallet. */
    wallet_id: string;
    /** Password of the wallet: 1 to 1,024 bytes. */
    password: string;
}

export interface WalletsOpenData {
    /** Id of a wallet. */
    wallet_id: string;
    /** Display name. White space at both ends is removed. */
    name: string;
    /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
    did: string;
    /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
    public_key: string;
    /** When it was created. */
    created_at: string;
    /** Ed25519 private key in base64: seed (32 bytes), then public key. A new DID shows it only once. */
    private_key: string;
    /** Credentials. In statistics: their counts. */
    credentials: Array<{
        /** Id of a credential: `urn:uuid:…`. */
        credential_id: string;
        /** Type of the credential: any text. */
        credential_type: string;
        /** DID of the issuer. */
        issuer: string;
        /** When it was first stored. */
        stored_at: string;
        /** Data to store with the credential: a JSON object of at most 16 KiB. */
        metadata?: Record<string, unknown>;
        /** A credential: a PASETO v4 public token, or an SD-JWT VC if `format` was `dc+sd-jwt`. */
        credential: string;
    }>;
}

export interface WalletsAddCredentialInput {
    /** Id of a wallet. */
    wallet_id: string;
    /** Password of the wallet: 1 to 1,024 bytes. */
    password: string;
    /** A credential: a PASETO v4 public token, or an SD-JWT VC if `format` was `dc+sd-jwt`. */
    credential: string;
    /** Data to store with the credential: a JSON object of at most 16 KiB. */
    metadata?: Record<string, unknown> | null;
}

export interface WalletsAddCredentialData {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** Id of a wallet. */
    wallet_id: string;
    /** Type of the credential: any text. */
    credential_type: string;
    /** DID of the issuer. */
    issuer: string;
    /** When it was first stored. */
    stored_at: string;
}

export interface WalletsListCredentialsInput {
    /** Id of a wallet. */
    wallet_id: string;
    /** Rows per page, 1 to 1,000. Without it the answer contains the whole list. */
    limit?: number;
    /** Start of the page, from the `Link` header of the previous page. */
    cursor?: string;
    /** Password of the wallet: 1 to 1,024 bytes. */
    password: string;
}

export interface WalletsListCredentialsData {
    /** Credentials. In statistics: their counts. */
    credentials: Array<{
        /** Id of a credential: `urn:uuid:…`. */
        credential_id: string;
        /** Type of the credential: any text. */
        credential_type: string;
        /** DID of the issuer. */
        issuer: string;
        /** When it was first stored. */
        stored_at: string;
        /** Data to store with the credential: a JSON object of at most 16 KiB. */
        metadata?: Record<string, unknown>;
    }>;
    /** Total number. */
    total: number;
}

export interface WalletsDeleteCredentialInput {
    /** Id of a wallet. */
    wallet_id: string;
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** Password of the wallet: 1 to 1,024 bytes. */
    password: string | null;
}

export interface WalletsDeleteCredentialData {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** When it was deleted. */
    deleted_at: string;
}

export interface EventsListInput {
    /** Only events after this number. Default: 0. */
    after?: number;
    /** Only events of these types, separated by commas. Default: all of `credential.issued`, `credential.revoked`, `key.created`, `key.rotated`, `key.revoked`, `key.expiring`, `issuer.created`, `issuer.rotated`, `issuer.compromised`, `issuer.archived`, `wallet.created`, `session.ended`, `user.suspended`, `user.restored`, `account.erased`, `webhook.paused`, `webhook.disabled`, `offer.redeemed`, `offer.notified`. */
    types?: string;
    /** Maximum number of events. Default: 100. */
    limit?: number;
}

export interface EventsListData {
    /** Events, oldest first. */
    events: Array<{
        /** Id of an event. It is the same whenever the event is read. */
        event_id: string;
        /** Number of the event in the stream of the account. The first one is 1. */
        seq: number;
        /** What has happened. */
        type:
            | 'credential.issued'
            | 'credential.revoked'
            | 'key.created'
            | 'key.rotated'
            | 'key.revoked'
            | 'key.expiring'
            | 'issuer.created'
            | 'issuer.rotated'
            | 'issuer.compromised'
            | 'issuer.archived'
            | 'wallet.created'
            | 'session.ended'
            | 'user.suspended'
            | 'user.restored'
            | 'account.erased'
            | 'webhook.paused'
            | 'webhook.disabled'
            | 'offer.redeemed'
            | 'offer.notified';
        /** When it happened. */
        timestamp: string;
        /** What the event is about. */
        data: {
            /** Id of a credential: `urn:uuid:…`. */
            credential_id?: string;
            /** DID of the issuer: a did:key, or a did:web of this service. */
            issuer_did?: string;
            /** Id of an API key. */
            key_id?: string;
            /** Id of the API key that replaces `key_id`. */
            successor_id?: string;
            /** Id of a managed issuer. */
            issuer_id?: string;
            /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
            kid?: string;
            /** Id of a wallet. */
            wallet_id?: string;
            /** Id of the session. */
            session_id?: string;
            /** Id of a webhook. */
            webhook_id?: string;
            /** Id of an offer. */
            offer_id?: string;
            /** What the wallet has last said about the credentials of an offer: `credential_accepted`, `credential_failure` or `credential_deleted`. */
            notification?: string;
        };
    }>;
    /** The `after` of the next call. */
    next: number;
}

export interface WebhooksCreateInput {
    /** Where the events are sent: https, at most 2,048 characters, port 443 or from 1,024 on, a public address. */
    url: string;
    /** Types of the events that are sent. Empty: all of `credential.issued`, `credential.revoked`, `key.created`, `key.rotated`, `key.revoked`, `key.expiring`, `issuer.created`, `issuer.rotated`, `issuer.compromised`, `issuer.archived`, `wallet.created`, `session.ended`, `user.suspended`, `user.restored`, `webhook.paused`, `webhook.disabled`, `offer.redeemed`, `offer.notified`. */
    types?: string[] | null;
    /** What it is for, in the words of its owner: at most 500 characters. */
    description?: string | null;
}

export interface WebhooksCreateData {
    /** Id of a webhook. */
    webhook_id: string;
    /** Where the events are sent: https, at most 2,048 characters, port 443 or from 1,024 on, a public address. */
    url: string;
    /** Types of the events that are sent. Empty: all of `credential.issued`, `credential.revoked`, `key.created`, `key.rotated`, `key.revoked`, `key.expiring`, `issuer.created`, `issuer.rotated`, `issuer.compromised`, `issuer.archived`, `wallet.created`, `session.ended`, `user.suspended`, `user.restored`, `webhook.paused`, `webhook.disabled`, `offer.redeemed`, `offer.notified`. */
    types: string[];
    /** What it is for, in the words of its owner: at most 500 characters. */
    description?: string;
    /** `active`. `paused` by its owner, or after five days of failures. `disabled`: it has answered 410. */
    state: 'active' | 'paused' | 'disabled';
    /** When it was created. */
    created_at: string;
    /** Verifies the signatures. It is shown only once. */
    secret: string;
}

export interface WebhooksListInput {
    /** Rows per page, 1 to 1,000. Without it the answer contains the whole list. */
    limit?: number;
    /** Start of the page, from the `Link` header of the previous page. */
    cursor?: string;
}

export interface WebhooksListData {
    /** Webhooks, newest first. */
    webhooks: Array<{
        /** Id of a webhook. */
        webhook_id: string;
        /** Where the events are sent: https, at most 2,048 characters, port 443 or from 1,024 on, a public address. */
        url: string;
        /** Types of the events that are sent. Empty: all of `credential.issued`, `credential.revoked`, `key.created`, `key.rotated`, `key.revoked`, `key.expiring`, `issuer.created`, `issuer.rotated`, `issuer.compromised`, `issuer.archived`, `wallet.created`, `session.ended`, `user.suspended`, `user.restored`, `webhook.paused`, `webhook.disabled`, `offer.redeemed`, `offer.notified`. */
        types: string[];
        /** What it is for, in the words of its owner: at most 500 characters. */
        description?: string;
        /** `active`. `paused` by its owner, or after five days of failures. `disabled`: it has answered 410. */
        state: 'active' | 'paused' | 'disabled';
        /** When it was created. */
        created_at: string;
        /** The first failure since the last success. */
        failing_since?: string;
    }>;
    /** Total number. */
    total: number;
}

export interface WebhooksGetInput {
    /** Id of a webhook. */
    webhook_id: string;
}

export interface WebhooksGetData {
    /** Id of a webhook. */
    webhook_id: string;
    /** Where the events are sent: https, at most 2,048 characters, port 443 or from 1,024 on, a public address. */
    url: string;
    /** Types of the events that are sent. Empty: all of `credential.issued`, `credential.revoked`, `key.created`, `key.rotated`, `key.revoked`, `key.expiring`, `issuer.created`, `issuer.rotated`, `issuer.compromised`, `issuer.archived`, `wallet.created`, `session.ended`, `user.suspended`, `user.restored`, `webhook.paused`, `webhook.disabled`, `offer.redeemed`, `offer.notified`. */
    types: string[];
    /** What it is for, in the words of its owner: at most 500 characters. */
    description?: string;
    /** `active`. `paused` by its owner, or after five days of failures. `disabled`: it has answered 410. */
    state: 'active' | 'paused' | 'disabled';
    /** When it was created. */
    created_at: string;
    /** The first failure since the last success. */
    failing_since?: string;
}

export interface WebhooksUpdateInput {
    /** Id of a webhook. */
    webhook_id: string;
    /** Where the events are sent: https, at most 2,048 characters, port 443 or from 1,024 on, a public address. */
    url?: string | null;
    /** Types of the events that are sent. Empty: all of `credential.issued`, `credential.revoked`, `key.created`, `key.rotated`, `key.revoked`, `key.expiring`, `issuer.created`, `issuer.rotated`, `issuer.compromised`, `issuer.archived`, `wallet.created`, `session.ended`, `user.suspended`, `user.restored`, `webhook.paused`, `webhook.disabled`, `offer.redeemed`, `offer.notified`. */
    types?: string[] | null;
    /** What it is for, in the words of its owner: at most 500 characters. */
    description?: string | null;
    /** `active`. `paused` by its owner, or after five days of failures. `disabled`: it has answered 410. */
    state?: 'active' | 'paused' | null;
}

export interface WebhooksUpdateData {
    /** Id of a webhook. */
    webhook_id: string;
    /** Where the events are sent: https, at most 2,048 characters, port 443 or from 1,024 on, a public address. */
    url: string;
    /** Types of the events that are sent. Empty: all of `credential.issued`, `credential.revoked`, `key.created`, `key.rotated`, `key.revoked`, `key.expiring`, `issuer.created`, `issuer.rotated`, `issuer.compromised`, `issuer.archived`, `wallet.created`, `session.ended`, `user.suspended`, `user.restored`, `webhook.paused`, `webhook.disabled`, `offer.redeemed`, `offer.notified`. */
    types: string[];
    /** What it is for, in the words of its owner: at most 500 characters. */
    description?: string;
    /** `active`. `paused` by its owner, or after five days of failures. `disabled`: it has answered 410. */
    state: 'active' | 'paused' | 'disabled';
    /** When it was created. */
    created_at: string;
    /** The first failure since the last success. */
    failing_since?: string;
}

export interface WebhooksDeleteInput {
    /** Id of a webhook. */
    webhook_id: string;
}

export interface WebhooksDeleteData {
    /** Id of a webhook. */
    webhook_id: string;
}

export interface WebhooksRotateSecretInput {
    /** Id of a webhook. */
    webhook_id: string;
    /** Seconds for which the earlier secret signs, too. */
    overlap_seconds?: number | null;
}

export interface WebhooksRotateSecretData {
    /** Id of a webhook. */
    webhook_id: string;
    /** The new secret. It is shown only once. */
    secret: string;
    /** Until when the earlier secret signs, too. */
    previous_until?: string;
}

export interface WebhooksTestInput {
    /** Id of a webhook. */
    webhook_id: string;
}

export interface WebhooksTestData {
    /** Id of a delivery. */
    delivery_id: string;
    /** The `webhook-id` of the delivery. That of an event is the id of the event. */
    event_id: string;
    /** The type of the event, or `webhook.test`. */
    type: string;
    /** `waiting` for its first or next attempt, `delivered`, or `failed` for good. */
    state: 'waiting' | 'delivered' | 'failed';
    /** When it was created. */
    created_at: string;
}

export interface WebhooksDeliveriesInput {
    /** Id of a webhook. */
    webhook_id: string;
    /** Rows per page, 1 to 1,000. Without it the answer contains the whole list. */
    limit?: number;
    /** Start of the page, from the `Link` header of the previous page. */
    cursor?: string;
    /** `waiting` for its first or next attempt, `delivered`, or `failed` for good. */
    state?: string;
}

export interface WebhooksDeliveriesData {
    /** Deliveries, newest first. */
    deliveries: Array<{
        /** Id of a delivery. */
        delivery_id: string;
        /** The `webhook-id` of the delivery. That of an event is the id of the event. */
        event_id: string;
        /** The type of the event, or `webhook.test`. */
        type: string;
        /** `waiting` for its first or next attempt, `delivered`, or `failed` for good. */
        state: 'waiting' | 'delivered' | 'failed';
        /** Number of attempts. */
        attempts: number;
        /** When it was created. */
        created_at: string;
        /** When the last attempt was made. */
        last_attempt_at?: string;
        /** When the next attempt is due. Absent if there is none. */
        next_attempt_at?: string;
        /** Status of the last answer. Absent if there was none. */
        status?: number;
        /** Why the last attempt has failed. */
        reason?: string;
    }>;
}

export interface WebhooksReplayInput {
    /** Id of a webhook. */
    webhook_id: string;
    /** The event to send. Without it, `from` and `to` are given. */
    event_id?: string | null;
    /** Events that happened from this time on (ISO 8601). */
    from?: string | null;
    /** Events that happened before this time (ISO 8601). */
    to?: string | null;
}

export interface WebhooksReplayData {
    /** Id of a webhook. */
    webhook_id: string;
}

export interface ConfigurationsCreateInput {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
    configuration_id: string;
    /** The form of credentials: `dc+sd-jwt`. When one is issued without it, it is a PASETO. */
    format: 'dc+sd-jwt';
    /** The type in credentials of this form: a URI. When one is issued, it is its `credential_type` by default. */
    vct: string;
    /** What a wallet shows, in each language. */
    display?: Array<{
        /** What wallets show. */
        name: string;
        /** A language tag, such as `en` or `de-AT`. */
        locale?: string | null;
        /** What wallets show, at most 1,000 characters. */
        description?: string | null;
        /** For example `#12ab34`. */
        background_color?: string | null;
        /** For example `#12ab34`. */
        text_color?: string | null;
        /** The https URL of an image. */
        logo?: string | null;
    }> | null;
    /** The claims that wallets may expect, each with the path that leads to it. */
    claims?: Array<{
        /** What leads to the claim: names, indexes in arrays, and `null` for all elements of an array. */
        path: Array<string | number | null>;
        /** Whether every credential has the claim. */
        mandatory?: boolean | null;
        /** What a wallet shows, in each language. */
        display?: Array<{
            /** What wallets show. */
            name: string;
            /** A language tag, such as `en` or `de-AT`. */
            locale?: string | null;
        }> | null;
    }> | null;
    /** How many keys of a wallet one offer may bind credentials to. */
    max_keys?: number | null;
    /** The algorithms of these keys. */
    proof_algs?: string[] | null;
}

export interface ConfigurationsCreateData {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
    configuration_id: string;
    /** The form of credentials: `dc+sd-jwt`. When one is issued without it, it is a PASETO. */
    format: 'dc+sd-jwt';
    /** The type in credentials of this form: a URI. When one is issued, it is its `credential_type` by default. */
    vct: string;
    /** What a wallet shows, in each language. */
    display: Array<{
        /** What wallets show. */
        name: string;
        /** A language tag, such as `en` or `de-AT`. */
        locale?: string;
        /** What wallets show, at most 1,000 characters. */
        description?: string;
        /** For example `#12ab34`. */
        background_color?: string;
        /** For example `#12ab34`. */
        text_color?: string;
        /** The https URL of an image. */
        logo?: string;
    }>;
    /** The claims that wallets may expect, each with the path that leads to it. */
    claims: Array<{
        /** What leads to the claim: names, indexes in arrays, and `null` for all elements of an array. */
        path: Array<string | number | null>;
        /** Whether every credential has the claim. */
        mandatory: boolean;
        /** What a wallet shows, in each language. */
        display: Array<{
            /** What wallets show. */
            name: string;
            /** A language tag, such as `en` or `de-AT`. */
            locale?: string;
        }>;
    }>;
    /** How many keys of a wallet one offer may bind credentials to. */
    max_keys: number;
    /** The algorithms of these keys. */
    proof_algs: string[];
    /** When it was created. */
    created_at: string;
}

export interface ConfigurationsListInput {
    /** Id of a managed issuer. */
    issuer_id: string;
}

export interface ConfigurationsListData {
    /** Configurations, by their ids. */
    configurations: Array<{
        /** Id of a managed issuer. */
        issuer_id: string;
        /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
        configuration_id: string;
        /** The form of credentials: `dc+sd-jwt`. When one is issued without it, it is a PASETO. */
        format: 'dc+sd-jwt';
        /** The type in credentials of this form: a URI. When one is issued, it is its `credential_type` by default. */
        vct: string;
        /** What a wallet shows, in each language. */
        display: Array<{
            /** What wallets show. */
            name: string;
            /** A language tag, such as `en` or `de-AT`. */
            locale?: string;
            /** What wallets show, at most 1,000 characters. */
            description?: string;
            /** For example `#12ab34`. */
            background_color?: string;
            /** For example `#12ab34`. */
            text_color?: string;
            /** The https URL of an image. */
            logo?: string;
        }>;
        /** The claims that wallets may expect, each with the path that leads to it. */
        claims: Array<{
            /** What leads to the claim: names, indexes in arrays, and `null` for all elements of an array. */
            path: Array<string | number | null>;
            /** Whether every credential has the claim. */
            mandatory: boolean;
            /** What a wallet shows, in each language. */
            display: Array<{
                /** What wallets show. */
                name: string;
                /** A language tag, such as `en` or `de-AT`. */
                locale?: string;
            }>;
        }>;
        /** How many keys of a wallet one offer may bind credentials to. */
        max_keys: number;
        /** The algorithms of these keys. */
        proof_algs: string[];
        /** When it was created. */
        created_at: string;
    }>;
}

export interface ConfigurationsGetInput {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
    configuration_id: string;
}

export interface ConfigurationsGetData {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
    configuration_id: string;
    /** The form of credentials: `dc+sd-jwt`. When one is issued without it, it is a PASETO. */
    format: 'dc+sd-jwt';
    /** The type in credentials of this form: a URI. When one is issued, it is its `credential_type` by default. */
    vct: string;
    /** What a wallet shows, in each language. */
    display: Array<{
        /** What wallets show. */
        name: string;
        /** A language tag, such as `en` or `de-AT`. */
        locale?: string;
        /** What wallets show, at most 1,000 characters. */
        description?: string;
        /** For example `#12ab34`. */
        background_color?: string;
        /** For example `#12ab34`. */
        text_color?: string;
        /** The https URL of an image. */
        logo?: string;
    }>;
    /** The claims that wallets may expect, each with the path that leads to it. */
    claims: Array<{
        /** What leads to the claim: names, indexes in arrays, and `null` for all elements of an array. */
        path: Array<string | number | null>;
        /** Whether every credential has the claim. */
        mandatory: boolean;
        /** What a wallet shows, in each language. */
        display: Array<{
            /** What wallets show. */
            name: string;
            /** A language tag, such as `en` or `de-AT`. */
            locale?: string;
        }>;
    }>;
    /** How many keys of a wallet one offer may bind credentials to. */
    max_keys: number;
    /** The algorithms of these keys. */
    proof_algs: string[];
    /** When it was created. */
    created_at: string;
}

export interface ConfigurationsDeleteInput {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
    configuration_id: string;
}

export interface ConfigurationsDeleteData {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
    configuration_id: string;
}

export interface OffersCreateInput {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
    configuration_id: string;
    /** The claims of the credential. */
    claims: Record<string, unknown>;
    /** Whom the credential is about. Default: the DID of the key in the wallet. */
    subject_did?: string | null;
    /** When the credentials expire, after the end of the offer. Default: they do not. */
    expiration_date?: string | null;
    /** Seconds for which the offer can be accepted. */
    expires_in?: number | null;
    /** In the request: that the holder must enter a code. In the answer: that code, which is shown only once. */
    tx_code?: {
        /** How many characters the transaction code has. */
        length?: number | null;
        /** `numeric`: digits. `text`: letters and digits. */
        input_mode?: 'numeric' | 'text' | null;
        /** What the wallet tells the holder about the code. */
        description?: string | null;
    } | null;
}

export interface OffersCreateData {
    /** Id of an offer. */
    offer_id: string;
    /** Id of a managed issuer. */
    issuer_id: string;
    /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
    configuration_id: string;
    /** `open`; `redeemed` when a wallet has spent its code, and `issued` when it has got a credential; `locked` after five wrong transaction codes; `expired`. */
    state: 'open' | 'redeemed' | 'issued' | 'locked' | 'expired';
    /** When it was created. */
    created_at: string;
    /** Until when the offer can be accepted. */
    expires_at: string;
    /** The link. It is shown only once. */
    offer_uri: string;
    /** In the request: that the holder must enter a code. In the answer: that code, which is shown only once. */
    tx_code?: string;
}

export interface OffersListInput {
    /** Rows per page, 1 to 1,000. Without it the answer contains the whole list. */
    limit?: number;
    /** Start of the page, from the `Link` header of the previous page. */
    cursor?: string;
}

export interface OffersListData {
    /** Offers, newest first. */
    offers: Array<{
        /** Id of an offer. */
        offer_id: string;
        /** Id of a managed issuer. */
        issuer_id: string;
        /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
        configuration_id: string;
        /** `open`; `redeemed` when a wallet has spent its code, and `issued` when it has got a credential; `locked` after five wrong transaction codes; `expired`. */
        state: 'open' | 'redeemed' | 'issued' | 'locked' | 'expired';
        /** When it was created. */
        created_at: string;
        /** Until when the offer can be accepted. */
        expires_at: string;
        /** The credentials that wallets have got. */
        credential_ids: string[];
        /** What the wallet has last said about the credentials of an offer: `credential_accepted`, `credential_failure` or `credential_deleted`. */
        notification?: string;
    }>;
    /** Total number. */
    total: number;
}

export interface OffersGetInput {
    /** Id of an offer. */
    offer_id: string;
}

export interface OffersGetData {
    /** Id of an offer. */
    offer_id: string;
    /** Id of a managed issuer. */
    issuer_id: string;
    /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
    configuration_id: string;
    /** `open`; `redeemed` when a wallet has spent its code, and `issued` when it has got a credential; `locked` after five wrong transaction codes; `expired`. */
    state: 'open' | 'redeemed' | 'issued' | 'locked' | 'expired';
    /** When it was created. */
    created_at: string;
    /** Until when the offer can be accepted. */
    expires_at: string;
    /** The credentials that wallets have got. */
    credential_ids: string[];
    /** What the wallet has last said about the credentials of an offer: `credential_accepted`, `credential_failure` or `credential_deleted`. */
    notification?: string;
}

export interface OffersDeleteInput {
    /** Id of an offer. */
    offer_id: string;
}

export interface OffersDeleteData {
    /** Id of an offer. */
    offer_id: string;
}

export interface ExchangeOfferInput {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** The last part of the link. */
    secret: string;
}

export interface ExchangeOfferData {
    /** Identifies the issuer: its URL. */
    credential_issuer: string;
    /** What is offered. */
    credential_configuration_ids: string[];
    /** How the wallet gets an access token. */
    grants: {
        /** The grant of the offer. */
        'urn:ietf:params:oauth:grant-type:pre-authorized_code': {
            /** The code that the wallet exchanges for an access token. */
            'pre-authorized_code': string;
            /** Present if the holder must enter a transaction code. */
            tx_code?: {
                /** How many characters the transaction code has. */
                length: number;
                /** `numeric`: digits. `text`: letters and digits. */
                input_mode: string;
                /** What the wallet tells the holder about the code. */
                description?: string;
            };
        };
    };
}

export interface ExchangeTokenInput {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** `urn:ietf:params:oauth:grant-type:pre-authorized_code`. */
    grant_type: string;
    /** The code of the offer. */
    'pre-authorized_code'?: string | null;
    /** What the holder has entered, if the offer asks for it. */
    tx_code?: string | null;
}

export interface ExchangeTokenData {
    /** The access token. */
    access_token: string;
    /** `Bearer` or `DPoP`. */
    token_type: string;
    /** Seconds for which the token can be used. */
    expires_in: number;
}

export interface ExchangeNonceInput {
    /** Id of a managed issuer. */
    issuer_id: string;
}

export interface ExchangeNonceData {
    /** The nonce. */
    c_nonce: string;
}

export interface ExchangeCredentialInput {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** What is offered. */
    credential_configuration_id?: string | null;
    /** Not used: token responses have no identifiers. */
    credential_identifier?: string | null;
    /** Proofs of possession, each of another key. */
    proofs?: {
        /** JWTs with the type `openid4vci-proof+jwt`. */
        jwt?: string[] | null;
    } | null;
    /** Not supported. */
    credential_response_encryption?: {
        /** The algorithm of the encryption. */
        enc: string;
    } | null;
}

export interface ExchangeCredentialData {
    /** The credentials, one for each key. */
    credentials: Array<{
        /** A credential in the format of the configuration. */
        credential: string;
    }>;
    /** Names the credentials in a notification. */
    notification_id: string;
}

export interface ExchangeNotificationInput {
    /** Id of a managed issuer. */
    issuer_id: string;
    /** From the answer with the credentials. */
    notification_id: string;
    /** `credential_accepted`, `credential_failure` or `credential_deleted`. */
    event: string;
}

export interface ExchangeNotificationData {
    /** From the answer with the credentials. */
    notification_id: string;
}

export interface ExchangeIssuerMetadataInput {
    /** Id of a managed issuer. */
    issuer_id: string;
}

export interface ExchangeIssuerMetadataData {
    /** Identifies the issuer: its URL. */
    credential_issuer: string;
    /** Where credentials are issued. */
    credential_endpoint: string;
    /** Where nonces are made. */
    nonce_endpoint: string;
    /** Where wallets say what became of credentials. */
    notification_endpoint: string;
    /** Present if each configuration allows several keys. */
    batch_credential_issuance?: {
        /** The least `max_keys` of the configurations. */
        batch_size: number;
    };
    /** What is offered, by the ids of the configurations. */
    credential_configurations_supported: Record<string, Record<string, unknown>>;
}

export interface ExchangeServerMetadataInput {
    /** Id of a managed issuer. */
    issuer_id: string;
}

export interface ExchangeServerMetadataData {
    /** Identifies the issuer. */
    issuer: string;
    /** Where access tokens are made. */
    token_endpoint: string;
    /** None: there is no authorization endpoint. */
    response_types_supported: string[];
    /** The grants of offers. */
    grant_types_supported: string[];
    /** Wallets need no registration. */
    token_endpoint_auth_methods_supported: string[];
    /** Wallets need no registration. */
    'pre-authorized_grant_anonymous_access_supported': boolean;
    /** The algorithms of DPoP proofs. */
    dpop_signing_alg_values_supported: string[];
}

export interface MeGetData {
    /** Id of an account. */
    user_id: string;
    /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
    email: string;
    /** Display name. White space at both ends is removed. */
    name: string | null;
    /** Tier, which sets the number of requests per minute. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** When it was created. */
    created_at: string;
    /** When the account last logged in. Null before the first login. */
    last_login_at: string | null;
    /** Counts of the account. */
    stats: {
        /** DIDs created. */
        dids_created: number;
        /** Credentials issued. */
        credentials_issued: number;
        /** Presentations created. */
        presentations_created: number;
        /** API keys that are not revoked. */
        api_keys_active: number;
    };
}

export interface MeUpdateInput {
    /** Display name. White space at both ends is removed. */
    name?: string | null;
    /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
    email?: string | null;
}

export interface MeUpdateData {
    /** Id of an account. */
    user_id: string;
    /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
    email: string;
    /** Display name. White space at both ends is removed. */
    name: string | null;
    /** When it was changed. */
    updated_at: string;
}

export interface MeDeleteInput {
    /** Password of an account: at least 8 characters. */
    password: string;
    /** Must be `delete`. */
    confirm: 'delete';
}

export interface MeDeleteData {
    /** Id of an account. */
    user_id: string;
    /** When the account was erased. */
    erased_at: string;
}

export interface MeChangePasswordInput {
    /** The current password. */
    current_password: string;
    /** The new password: at least 8 characters. */
    new_password: string;
}

export interface MeChangePasswordData {
    /** When it was changed. */
    changed_at: string;
}

export interface MeQuotasData {
    /** Tier, which sets the number of requests per minute. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** For each kind of object, how much the account stores and how much it may store. */
    quotas: {
        /** Credentials that the account has issued, including revoked ones. Its quota is approximate. */
        credentials: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** Presentations that the account has created. Their quota is approximate. */
        presentations: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** DIDs that the account has created and registered. Their quota is approximate. */
        dids: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** Managed issuers, including archived ones. */
        issuers: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** Wallets of the account. Their quota is approximate. */
        wallets: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** Credentials in all wallets of the account. Their quota is approximate. */
        wallet_credentials: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** Sealed size of the credentials in all wallets of the account, in bytes. Its quota is approximate. */
        wallet_bytes: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** API keys that are not revoked. */
        active_api_keys: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** API keys, including revoked ones. */
        api_keys: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** Open sessions. A login beyond the quota ends the oldest session. */
        sessions: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** Webhooks of the account. */
        webhooks: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
        /** Offers of the account. */
        offers: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store in its tier. */
            quota: number;
        };
    };
}

export interface MeStatsData {
    /** Month of the counts: `YYYY-MM`. */
    period: string;
    /** Counts of DIDs. */
    dids: {
        /** Total number. */
        total: number;
        /** Number created since the month began, in UTC. */
        created_this_month: number;
    };
    /** Credentials. In statistics: their counts. */
    credentials: {
        /** Total number issued. */
        total_issued: number;
        /** Number issued since the month began, in UTC. */
        issued_this_month: number;
        /** Total number revoked. */
        total_revoked: number;
        /** Number issued and not revoked. */
        total_active: number;
    };
    /** Counts of presentations. */
    presentations: {
        /** Total number created. */
        total_created: number;
        /** Number created since the month began, in UTC. */
        created_this_month: number;
        /** Total number verified. */
        total_verified: number;
    };
    /** Counts of requests, at most two seconds late. */
    api_usage: {
        /** Requests since the month began, in UTC. */
        requests_this_month: number;
        /** Requests since 00:00 UTC. */
        requests_today: number;
        /** Requests of this month that were refused with 429. */
        rate_limit_hits: number;
    };
    /** Counts of wallets. */
    wallets: {
        /** Total number. */
        total: number;
        /** Credentials in wallets. */
        credentials_stored: number;
    };
}

export type MeExportData =
    | {
          /** What the line is about. */
          kind: 'export';
          /** Version of the form of an export. */
          version: number;
          /** When the export began. */
          exported_at: string;
      }
    | {
          /** What the line is about. */
          kind: 'user';
          /** Id of an account. */
          user_id: string;
          /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
          email: string;
          /** Display name. White space at both ends is removed. */
          name: string | null;
          /** Tier, which sets the number of requests per minute. */
          tier: 'free' | 'basic' | 'pro' | 'enterprise';
          /** When it was created. */
          created_at: string;
          /** When the account last logged in. Null before the first login. */
          last_login_at: string | null;
      }
    | {
          /** What the line is about. */
          kind: 'statistics';
          /** Month of the counts: `YYYY-MM`. */
          period: string;
          /** Counts of DIDs. */
          dids: {
              /** Total number. */
              total: number;
              /** Number created since the month began, in UTC. */
              created_this_month: number;
          };
          /** Credentials. In statistics: their counts. */
          credentials: {
              /** Total number issued. */
              total_issued: number;
              /** Number issued since the month began, in UTC. */
              issued_this_month: number;
              /** Total number revoked. */
              total_revoked: number;
              /** Number issued and not revoked. */
              total_active: number;
          };
          /** Counts of presentations. */
          presentations: {
              /** Total number created. */
              total_created: number;
              /** Number created since the month began, in UTC. */
              created_this_month: number;
              /** Total number verified. */
              total_verified: number;
          };
          /** Counts of requests, at most two seconds late. */
          api_usage: {
              /** Requests since the month began, in UTC. */
              requests_this_month: number;
              /** Requests since 00:00 UTC. */
              requests_today: number;
              /** Requests of this month that were refused with 429. */
              rate_limit_hits: number;
          };
          /** Counts of wallets. */
          wallets: {
              /** Total number. */
              total: number;
              /** Credentials in wallets. */
              credentials_stored: number;
          };
      }
    | {
          /** What the line is about. */
          kind: 'session';
          /** Id of the session. */
          session_id: string;
          /** When it was created. */
          created_at: string;
          /** When it expires. */
          expires_at: string;
          /** When the session was ended. Absent if it was not. */
          ended_at?: string;
      }
    | {
          /** What the line is about. */
          kind: 'key';
          /** Id of an API key. */
          key_id: string;
          /** Display name. White space at both ends is removed. */
          name: string;
          /** The masked key. */
          key_prefix: string;
          /** Tier, which sets the number of requests per minute. */
          tier: 'free' | 'basic' | 'pro' | 'enterprise';
          /** Requests per minute. */
          rate_limit: number;
          /** When it was created. */
          created_at: string;
          /** When this key was last used, at most two seconds late. Null before the first call. */
          last_used_at: string | null;
          /** Whether the key is neither revoked nor expired. */
          active: boolean;
          /** When it expires. */
          expires_at?: string;
          /** What the key may be used for. Absent: for everything. */
          scopes?: string[];
          /** Networks that the key may be used from, in CIDR notation. Absent: from everywhere. */
          allowed_addresses?: string[];
          /** Id of the key that has replaced this one. Absent if it was not replaced. */
          replaced_by?: string;
      }
    | {
          /** What the line is about. */
          kind: 'did';
          /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
          did: string;
          /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
          public_key: string;
          /** Whether the service made its key, for the account or for a wallet, or the account registered it. */
          origin: 'generated' | 'wallet' | 'registered';
          /** When it was created. */
          created_at: string;
      }
    | {
          /** What the line is about. */
          kind: 'issuer';
          /** Id of a managed issuer. */
          issuer_id: string;
          /** DID of an Ed25519 key: a did:key (`did:key:z6Mk…`). Of an issuer also a did:web. */
          did: string;
          /** DID method of the issuer. */
          method: 'key' | 'web';
          /** Display name. White space at both ends is removed. */
          name: string;
          /** When it was created. */
          created_at: string;
          /** When it was archived. Absent if it still signs. */
          archived_at?: string;
          /** The keys of the issuer, newest first. */
          keys: Array<{
              /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
              kid: string;
              /** What the key signs with. PASETO tokens need `EdDSA`. */
              alg: 'EdDSA' | 'ES256';
              /** Public key in base64: 32 bytes of Ed25519, or for ES256 33 bytes, the compressed point of P-256. */
              public_key: string;
              /** `active` signs. `retired` only verifies. `compromised` does neither. */
              state: 'active' | 'retired' | 'compromised';
              /** When it was created. */
              created_at: string;
              /** When another key replaced it. Absent if it is active. */
              retired_at?: string;
              /** When it was marked as compromised. */
              compromised_at?: string;
              /** Why it was revoked. */
              reason?: string;
          }>;
      }
    | {
          /** What the line is about. */
          kind: 'configuration';
          /** Id of a managed issuer. */
          issuer_id: string;
          /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
          configuration_id: string;
          /** The form of credentials: `dc+sd-jwt`. When one is issued without it, it is a PASETO. */
          format: 'dc+sd-jwt';
          /** The type in credentials of this form: a URI. When one is issued, it is its `credential_type` by default. */
          vct: string;
          /** What a wallet shows, in each language. */
          display: Array<{
              /** Display name. White space at both ends is removed. */
              name: string;
              /** A language tag, such as `en` or `de-AT`. */
              locale?: string;
              /** What it is for, in the words of its owner: at most 500 characters. */
              description?: string;
              /** For example `#12ab34`. */
              background_color?: string;
              /** For example `#12ab34`. */
              text_color?: string;
              /** The https URL of an image. */
              logo?: string;
          }>;
          /** Statements about the subject: a JSON object of at most 64 KiB, signed exactly as sent. An SD-JWT has their values, not their spelling. */
          claims: Array<{
              /** What leads to the claim: names, indexes in arrays, and `null` for all elements of an array. */
              path: Array<string | number | null>;
              /** Whether every credential has the claim. */
              mandatory: boolean;
              /** What a wallet shows, in each language. */
              display: Array<{
                  /** Display name. White space at both ends is removed. */
                  name: string;
                  /** A language tag, such as `en` or `de-AT`. */
                  locale?: string;
              }>;
          }>;
          /** How many keys of a wallet one offer may bind credentials to. */
          max_keys: number;
          /** The algorithms of these keys. */
          proof_algs: string[];
          /** When it was created. */
          created_at: string;
      }
    | {
          /** What the line is about. */
          kind: 'credential';
          /** Id of a credential: `urn:uuid:…`. */
          credential_id: string;
          /** DID of the issuer. */
          issuer: string;
          /** DID of the subject. */
          subject: string;
          /** Type of the credential: any text. */
          credential_type: string;
          /** When it was issued. */
          issued_at: string;
          /** When it expires. */
          expires_at?: string;
          /** Whether it is revoked. False if that was not checked. */
          revoked: boolean;
          /** When it was revoked. */
          revoked_at?: string;
          /** Why it was revoked. */
          reason?: string;
      }
    | {
          /** What the line is about. */
          kind: 'presentation';
          /** Id of a presentation: `urn:uuid:…`. */
          presentation_id: string;
          /** DID of the holder. */
          holder: string;
          /** DID of the verifier that the presentation is for. */
          audience: string;
          /** Number of credentials in the presentation. */
          credentials_count: number;
          /** When it was created. */
          created_at: string;
      }
    | {
          /** What the line is about. */
          kind: 'wallet';
          /** Id of a wallet. */
          wallet_id: string;
          /** When it was created. */
          created_at: string;
          /** `sealed`: only the password of the wallet opens it. */
          contents: 'sealed';
      }
    | {
          /** What the line is about. */
          kind: 'webhook';
          /** Id of a webhook. */
          webhook_id: string;
          /** Where the events are sent: https, at most 2,048 characters, port 443 or from 1,024 on, a public address. */
          url: string;
          /** Types of the events that are sent. Empty: all of `credential.issued`, `credential.revoked`, `key.created`, `key.rotated`, `key.revoked`, `key.expiring`, `issuer.created`, `issuer.rotated`, `issuer.compromised`, `issuer.archived`, `wallet.created`, `session.ended`, `user.suspended`, `user.restored`, `webhook.paused`, `webhook.disabled`, `offer.redeemed`, `offer.notified`. */
          types: string[];
          /** What it is for, in the words of its owner: at most 500 characters. */
          description?: string;
          /** `active` signs. `retired` only verifies. `compromised` does neither. */
          state: 'active' | 'paused' | 'disabled';
          /** When it was created. */
          created_at: string;
          /** The first failure since the last success. */
          failing_since?: string;
      }
    | {
          /** What the line is about. */
          kind: 'offer';
          /** Id of an offer. */
          offer_id: string;
          /** Id of a managed issuer. */
          issuer_id: string;
          /** Names what an issuer offers, in this issuer: 1 to 64 letters, digits, `.`, `_` and `-`, of which the first is a letter or digit. */
          configuration_id: string;
          /** `active` signs. `retired` only verifies. `compromised` does neither. */
          state: 'open' | 'redeemed' | 'issued' | 'locked' | 'expired';
          /** When it was created. */
          created_at: string;
          /** When it expires. */
          expires_at: string;
          /** The credentials that wallets have got. */
          credential_ids: string[];
          /** What the wallet has last said about the credentials of an offer: `credential_accepted`, `credential_failure` or `credential_deleted`. */
          notification?: string;
      }
    | {
          /** What the line is about. */
          kind: 'event';
          /** Id of an event. It is the same whenever the event is read. */
          event_id: string;
          /** Number of the event in the stream of the account. The first one is 1. */
          seq: number;
          /** What has happened. */
          type:
              | 'credential.issued'
              | 'credential.revoked'
              | 'key.created'
              | 'key.rotated'
              | 'key.revoked'
              | 'key.expiring'
              | 'issuer.created'
              | 'issuer.rotated'
              | 'issuer.compromised'
              | 'issuer.archived'
              | 'wallet.created'
              | 'session.ended'
              | 'user.suspended'
              | 'user.restored'
              | 'account.erased'
              | 'webhook.paused'
              | 'webhook.disabled'
              | 'offer.redeemed'
              | 'offer.notified';
          /** When it happened. */
          timestamp: string;
          /** What the event is about. */
          data: {
              /** Id of a credential: `urn:uuid:…`. */
              credential_id?: string;
              /** DID of the issuer: a did:key, or a did:web of this service. */
              issuer_did?: string;
              /** Id of an API key. */
              key_id?: string;
              /** Id of the API key that replaces `key_id`. */
              successor_id?: string;
              /** Id of a managed issuer. */
              issuer_id?: string;
              /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
              kid?: string;
              /** Id of a wallet. */
              wallet_id?: string;
              /** Id of the session. */
              session_id?: string;
              /** Id of a webhook. */
              webhook_id?: string;
              /** Id of an offer. */
              offer_id?: string;
              /** What the wallet has last said about the credentials of an offer: `credential_accepted`, `credential_failure` or `credential_deleted`. */
              notification?: string;
          };
      }
    | {
          /** What the line is about. */
          kind: 'end';
          /** The number of lines of each kind. */
          counts: Record<string, number>;
      };

export interface AuthRegisterInput {
    /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
    email: string;
    /** Password of an account: at least 8 characters. */
    password: string;
    /** Display name. White space at both ends is removed. */
    name?: string | null;
}

export interface AuthRegisterData {
    /** Id of an account. */
    user_id: string;
    /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
    email: string;
    /** Display name. White space at both ends is removed. */
    name: string | null;
    /** Tier, which sets the number of requests per minute. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** When it was created. */
    created_at: string;
}

export interface AuthLoginInput {
    /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
    email: string;
    /** Password of an account: at least 8 characters. */
    password: string;
}

export interface AuthLoginData {
    /** Session token: a JWT for `Authorization: Bearer`. */
    token: string;
    /** JWT that can be exchanged once for a new pair of tokens. */
    refresh_token: string;
    /** When it expires. */
    expires_at: string;
    /** Id of an account. */
    user_id: string;
    /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
    email: string;
    /** Display name. White space at both ends is removed. */
    name: string | null;
    /** Tier, which sets the number of requests per minute. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
}

export interface AuthLogoutInput {
    /** Session token: a JWT for `Authorization: Bearer`. */
    token: string;
}

export interface AuthLogoutData {
    /** When the session ended. */
    logged_out_at: string;
}

export interface AuthRefreshInput {
    /** JWT that can be exchanged once for a new pair of tokens. */
    refresh_token: string;
}

export interface AuthRefreshData {
    /** Session token: a JWT for `Authorization: Bearer`. */
    token: string;
    /** JWT that can be exchanged once for a new pair of tokens. */
    refresh_token: string;
    /** When it expires. */
    expires_at: string;
}

export interface AuthMeData {
    /** Id of an account. */
    user_id: string;
    /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
    email: string;
    /** Display name. White space at both ends is removed. */
    name: string | null;
    /** Tier, which sets the number of requests per minute. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** When it was created. */
    created_at: string;
    /** When the account last logged in. Null before the first login. */
    last_login_at: string | null;
}

export interface KeysVerifyInput {
    /** The API key, as the caller of the other service has sent it. */
    api_key: string;
    /** The scope that the call needs. Without it, the key needs none. */
    scope?:
        | 'credentials:issue'
        | 'credentials:verify'
        | 'credentials:revoke'
        | 'credentials:read'
        | 'dids:create'
        | 'dids:read'
        | 'presentations:create'
        | 'presentations:verify'
        | 'wallets:create'
        | 'wallets:open'
        | 'wallets:write'
        | 'issuers:read'
        | 'issuers:manage'
        | 'events:read'
        | 'webhooks:manage'
        | null;
    /** How many calls it counts as. 0 checks the key without counting a call. */
    cost?: number | null;
}

export interface KeysVerifyData {
    /** Whether the key may make the call. */
    valid: boolean;
    /** The outcome. */
    code:
        | 'valid'
        | 'not_found'
        | 'revoked'
        | 'suspended'
        | 'expired'
        | 'address_not_allowed'
        | 'missing_scope'
        | 'rate_limited';
    /** Id of an API key. */
    key_id?: string;
    /** Id of an account. */
    user_id?: string;
    /** Tier, which sets the number of requests per minute. */
    tier?: 'free' | 'basic' | 'pro' | 'enterprise';
    /** The scopes of the key. Absent if it may be used for everything. */
    scopes?: string[];
    /** Requests per minute. Absent, like `remaining` and `reset`, if another refusal came first. */
    limit?: number;
    /** Requests left in this window. */
    remaining?: number;
    /** When the window ends: Unix time, in seconds. */
    reset?: number;
}

export interface AdminCreateUsersInput {
    /** Accounts. */
    users: Array<{
        /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
        email: string;
        /** Password of an account: at least 8 characters. */
        password: string;
        /** Display name. White space at both ends is removed. */
        name?: string | null;
        /** Tier, which sets the number of requests per minute. */
        tier?: 'free' | 'basic' | 'pro' | 'enterprise' | null;
    }>;
}

export interface AdminCreateUsersData {
    /** Accounts that were created. */
    created: Array<{
        /** Id of an account. */
        user_id: string;
        /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
        email: string;
        /** Tier, which sets the number of requests per minute. */
        tier: 'free' | 'basic' | 'pro' | 'enterprise';
    }>;
    /** Accounts that could not be created, with the reason. */
    failed: Array<{
        /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
        email: string;
        /** Why the account could not be created. */
        error: string;
    }>;
    /** Total number created. */
    total_created: number;
    /** Number of accounts that could not be created. */
    total_failed: number;
}

export interface AdminStatsData {
    /** Accounts. */
    users: {
        /** Total number. */
        total: number;
        /** Accounts with a login or a call since 00:00 UTC. */
        active_today: number;
        /** Accounts with a login or a call today or in the six days before, in UTC. */
        active_this_week: number;
        /** Accounts by tier. */
        by_tier: {
            /** Accounts of this tier. */
            free: number;
            /** Accounts of this tier. */
            basic: number;
            /** Accounts of this tier. */
            pro: number;
            /** Accounts of this tier. */
            enterprise: number;
        };
    };
    /** Counts of DIDs. */
    dids: {
        /** Total number created. */
        total_created: number;
    };
    /** Credentials. In statistics: their counts. */
    credentials: {
        /** Total number issued. */
        total_issued: number;
        /** Total number revoked. */
        total_revoked: number;
        /** Number issued and not revoked. */
        active: number;
    };
    /** Counts of presentations. */
    presentations: {
        /** Total number created. */
        total_created: number;
        /** Total number verified. */
        total_verified: number;
    };
    /** Counts of requests, at most two seconds late. */
    api_usage: {
        /** Requests since 00:00 UTC. */
        requests_today: number;
        /** Requests of today and the six days before, in UTC. */
        requests_this_week: number;
    };
}

export interface AdminAuditInput {
    /** Begin at the last checkpoint before this time. Default: with the first event that is kept. */
    from?: string;
    /** End with what was sealed at this time. Default: now. */
    to?: string;
}

export type AdminAuditData =
    | {
          /** What the line is. */
          kind: 'audit';
          /** Version of the form of an audit. */
          version: number;
          /** When the export began. */
          exported_at: string;
          /** The number of the first leaf. */
          start: number;
          /** The roots of the largest complete subtrees before it, 32 bytes each. */
          edge: string;
      }
    | {
          /** What the line is. */
          kind: 'row';
          /** The number of the leaf. */
          leaf: number;
          /** The account. */
          account: string;
          /** The number (`seq`) of the last event of the row in the stream of the account. */
          last_seq: number;
          /** Number of events in the row. */
          count: number;
          /** What has happened. */
          type:
              | 'credential.issued'
              | 'credential.revoked'
              | 'key.created'
              | 'key.rotated'
              | 'key.revoked'
              | 'key.expiring'
              | 'issuer.created'
              | 'issuer.rotated'
              | 'issuer.compromised'
              | 'issuer.archived'
              | 'wallet.created'
              | 'session.ended'
              | 'user.suspended'
              | 'user.restored'
              | 'account.erased'
              | 'webhook.paused'
              | 'webhook.disabled'
              | 'offer.redeemed'
              | 'offer.notified';
          /** When it happened. */
          timestamp: string;
          /** Who has caused the events: `key:` or `session:` with its id; `trusted`, a caller with the internal secret; `service`, the service itself; `wallet`, the wallet that has taken an offer; `unnamed`, a caller that has named none of these. `@` and an account follow if the caller acted for another one than that of the events. Absent: an earlier release has written them. */
          actor?: string;
          /** SHA-256 of the data, which stays when the account is erased. */
          data_sha256: string;
          /** The hash of the leaf, in hexadecimal. */
          hash: string;
          /** The data of each event. They are empty if the account is erased. */
          data: Array<{
              /** Id of a credential: `urn:uuid:…`. */
              credential_id?: string;
              /** DID of the issuer: a did:key, or a did:web of this service. */
              issuer_did?: string;
              /** Id of an API key. */
              key_id?: string;
              /** Id of the API key that replaces `key_id`. */
              successor_id?: string;
              /** Id of a managed issuer. */
              issuer_id?: string;
              /** The key, as the fragment of its verification method: `z6Mk…`, or `zDnae…` of P-256. */
              kid?: string;
              /** Id of a wallet. */
              wallet_id?: string;
              /** Id of the session. */
              session_id?: string;
              /** Id of a webhook. */
              webhook_id?: string;
              /** Id of an offer. */
              offer_id?: string;
              /** What the wallet has last said about the credentials of an offer: `credential_accepted`, `credential_failure` or `credential_deleted`. */
              notification?: string;
              /** When it happened. */
              timestamp?: string;
              /** The id of the request (`X-Request-Id`), if it is not that of the event before it in the row. */
              request_id?: string;
          }>;
      }
    | {
          /** What the line is. */
          kind: 'seal';
          /** The number of the leaf. */
          leaf: number;
          /** The size of the last checkpoint before it; 0 if there is none. */
          checkpoint: number;
          /** When the rows since the seal before were appended. */
          sealed_at: string;
          /** The hash of the leaf, in hexadecimal. */
          hash: string;
          /** The root of the tree that ends with this leaf. */
          root: string;
      }
    | {
          /** What the line is. */
          kind: 'checkpoint';
          /** Number of leaves. */
          size: number;
          /** The signed checkpoint. */
          note: string;
      }
    | {
          /** What the line is. */
          kind: 'end';
          /** Number of leaves. */
          size: number;
          /** The size of the last checkpoint before it; 0 if there is none. */
          checkpoint: number;
      };

export interface AdminSuspendUserInput {
    /** Id of an account. */
    user_id: string;
    /** Why, for other operators: at most 500 characters. Null if no reason was given. */
    reason?: string | null;
}

export interface AdminSuspendUserData {
    /** Id of an account. */
    user_id: string;
    /** Whether the account is suspended. */
    suspended: boolean;
    /** When it was suspended. Null if it is not suspended. */
    suspended_at: string | null;
    /** Why, for other operators: at most 500 characters. Null if no reason was given. */
    reason: string | null;
}

export interface AdminRestoreUserInput {
    /** Id of an account. */
    user_id: string;
}

export interface AdminRestoreUserData {
    /** Id of an account. */
    user_id: string;
    /** Whether the account is suspended. */
    suspended: boolean;
    /** When it was suspended. Null if it is not suspended. */
    suspended_at: string | null;
    /** Why, for other operators: at most 500 characters. Null if no reason was given. */
    reason: string | null;
}

export interface AdminImportUsersInput {
    users: Array<{
        /** Email address. It is unique, and its letter case is ignored. An international domain is returned in its ASCII form (`xn--…`). */
        email: string;
        /** A PHC string: `argon2id` (m from 512 to 262,144, t to 10, p to 16), `scrypt` (ln from 10, less than 16 × r, and 2^ln × r × p to 2^21) or `pbkdf2-sha256` (i from 1,000 to 2,000,000), with a salt of 8 to 48 bytes and a hash of 16 to 64. */
        password_hash: string;
        /** Display name. White space at both ends is removed. */
        name?: string | null;
        /** Tier, which sets the number of requests per minute. */
        tier?: 'free' | 'basic' | 'pro' | 'enterprise' | null;
    }>;
}

export interface AdminImportUsersData {
    results: Array<{
        /** Number of the line, from 1. */
        line: number;
        /** `created` or `refused`. */
        status: 'created' | 'refused';
        /** Identifies the new account. Absent if the line was refused. */
        user_id?: string;
        /** Why the line was refused. Absent if it was not. */
        error?: string;
    }>;
}

export interface SubjectsEraseInput {
    /** DID of the subject, of any method. That of a new credential has at most 1,024 characters. */
    subject_did: string;
}

export interface SubjectsEraseData {
    /** DID of the subject, of any method. That of a new credential has at most 1,024 characters. */
    subject_did: string;
    /** False: there is more. Repeat the call until it is true. */
    done: boolean;
}

export interface HealthData {
    /** `degraded` while a dependency is down, otherwise `healthy`. */
    status: 'healthy' | 'degraded';
    /** Version of the running service. */
    version: string;
    /** When the health was checked. */
    timestamp: string;
    /** State of each dependency. */
    services: {
        /** State of PostgreSQL. */
        database: 'up' | 'down';
        /** State of Redis. */
        cache: 'up' | 'down';
        /** State of the storage of credentials. */
        storage: 'up' | 'down';
    };
}
