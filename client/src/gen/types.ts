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
    | 'too_large'
    | 'unsupported_media_type'
    | 'rate_limited'
    | 'headers_too_large'
    | 'internal'
    | 'unavailable'
    | 'deadline';

export interface KeysGenerateInput {
    /** A name to show, trimmed. */
    name: string;
    /** Decides how many requests per minute are served. */
    tier?: 'free' | 'basic' | 'pro' | 'enterprise' | null;
}

export interface KeysGenerateData {
    /** Id of an API key. */
    key_id: string;
    /** The whole key, for `Authorization: Bearer`. Shown this once. */
    api_key: string;
    /** A name to show, trimmed. */
    name: string;
    /** Decides how many requests per minute are served. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** Requests per minute. */
    rate_limit: number;
    /** When it was made. */
    created_at: string;
    /** The latest call with this key; null before the first. */
    last_used_at: null;
}

export interface KeysListInput {
    /** Rows per page, 1 to 1,000. Without it the whole list is answered. */
    limit?: number;
    /** Where the next page begins: from the `Link` header of the one before. */
    cursor?: string;
}

export interface KeysListData {
    /** API keys, newest first. */
    keys: Array<{
        /** Id of an API key. */
        key_id: string;
        /** A name to show, trimmed. */
        name: string;
        /** The key, masked. */
        key_prefix: string;
        /** Decides how many requests per minute are served. */
        tier: 'free' | 'basic' | 'pro' | 'enterprise';
        /** Requests per minute. */
        rate_limit: number;
        /** When it was made. */
        created_at: string;
        /** The latest call with this key; null before the first. */
        last_used_at: string | null;
        /** Of a key: whether it is not revoked. Of a platform: how many are not revoked. */
        active: boolean;
    }>;
    /** How many there are in all. */
    total: number;
}

export interface KeysGetInput {
    /** Id of an API key. */
    key_id: string;
}

export interface KeysGetData {
    /** Id of an API key. */
    key_id: string;
    /** A name to show, trimmed. */
    name: string;
    /** The key, masked. */
    key_prefix: string;
    /** Decides how many requests per minute are served. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** Requests per minute. */
    rate_limit: number;
    /** When it was made. */
    created_at: string;
    /** The latest call with this key; null before the first. */
    last_used_at: string | null;
    /** Of a key: whether it is not revoked. Of a platform: how many are not revoked. */
    active: boolean;
    /** Calls with this key. */
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

export interface KeysRenameInput {
    /** Id of an API key. */
    key_id: string;
    /** A name to show, trimmed. */
    name?: string | null;
}

export interface KeysRenameData {
    /** Id of an API key. */
    key_id: string;
    /** A name to show, trimmed. */
    name: string;
    /** When it was changed. */
    updated_at: string;
}

export interface DidCreateInput {
    /** Ed25519 public key: 32 bytes in base64. */
    public_key?: string | null;
}

export interface DidCreateData {
    /** A did:key with an Ed25519 public key: `did:key:z6Mk…`. */
    did: string;
    /** Ed25519 public key: 32 bytes in base64. */
    public_key: string;
    /** Ed25519 private key in base64: 32 bytes of seed, then the public key. Shown this once. */
    private_key?: string;
}

export interface DidResolveInput {
    /** A did:key with an Ed25519 public key: `did:key:z6Mk…`. */
    did: string;
    /** Whether to resolve a valid DID that is not recorded here, too. Default: false. */
    derive?: boolean;
}

export interface DidResolveData {
    /** A did:key with an Ed25519 public key: `did:key:z6Mk…`. */
    did: string;
    /** Ed25519 public key: 32 bytes in base64. */
    public_key: string;
}

export interface DidDocumentInput {
    /** A did:key with an Ed25519 public key: `did:key:z6Mk…`. */
    did: string;
    /** Whether to resolve a valid DID that is not recorded here, too. Default: false. */
    derive?: boolean;
}

export interface DidDocumentData {
    /** DID document (W3C DID Core). */
    document: {
        /** JSON-LD contexts. */
        '@context': string[];
        /** The DID, or the DID with the fragment of a key. */
        id: string;
        /** The public keys of the DID. */
        verificationMethod: Array<{
            /** The DID, or the DID with the fragment of a key. */
            id: string;
            /** Kind of the key. */
            type: string;
            /** The DID that the key belongs to. */
            controller: string;
            /** Multicodec key in base58btc. */
            publicKeyMultibase: string;
        }>;
        /** Keys that authenticate the DID. */
        authentication: string[];
        /** Keys that sign credentials. */
        assertionMethod: string[];
        /** Keys that invoke capabilities. */
        capabilityInvocation?: string[];
        /** Keys that delegate capabilities. */
        capabilityDelegation?: string[];
    };
}

export interface CredentialsIssueInput {
    /** DID of the issuer: a did:key. */
    issuer_did: string;
    /** The issuer's Ed25519 private key in base64: 32 bytes (seed) or 64. */
    issuer_private_key: string;
    /** DID of the subject, of any method. */
    subject_did: string;
    /** What kind of credential: any text. */
    credential_type: string;
    /** What is said of the subject: any JSON object of at most 64 KiB, kept to the letter. */
    claims: Record<string, unknown>;
    /** ISO 8601 date, or date and time with an offset. Default: never. */
    expiration_date?: string | null;
}

export interface CredentialsIssueData {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** A credential: a PASETO v4 public token. */
    credential: string;
    /** DID of the issuer. */
    issuer: string;
    /** DID of the subject. */
    subject: string;
    /** What kind of credential: any text. */
    credential_type: string;
    /** When it was issued. */
    issued_at: string;
    /** When it expires. */
    expires_at?: string;
}

export interface CredentialsVerifyInput {
    /** A credential: a PASETO v4 public token. */
    credential: string;
    /** DID of the issuer: a did:key. */
    issuer_did: string;
    /** Whether to check for revocation too. Default: false. */
    check_revocation?: boolean | null;
}

export interface CredentialsVerifyData {
    /** Whether everything that was checked holds. */
    valid: boolean;
    /** DID of the issuer. */
    issuer?: string;
    /** DID of the subject. */
    subject?: string;
    /** What kind of credential: any text. */
    credential_type?: string;
    /** What is said of the subject: any JSON object of at most 64 KiB, kept to the letter. */
    claims?: Record<string, unknown>;
    /** When it was issued. */
    issued_at?: string;
    /** When it expires. */
    expires_at?: string;
    /** Whether it is revoked; false where that was not checked. */
    revoked: boolean;
    /** Whether it has expired. */
    expired: boolean;
    /** Why it is not valid, or failed. */
    error?: string;
}

export interface CredentialsRevokeInput {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** DID of the issuer: a did:key. */
    issuer_did: string;
    /** Why it was revoked. */
    reason?: string | null;
}

export interface CredentialsRevokeData {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** Whether it is revoked; false where that was not checked. */
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
    /** Whether it is revoked; false where that was not checked. */
    revoked: boolean;
    /** When it was revoked. */
    revoked_at?: string;
    /** Why it was revoked. */
    reason?: string;
}

export interface CredentialsByIssuerInput {
    /** DID of the issuer: a did:key. */
    issuer_did: string;
    /** Rows per page, 1 to 1,000. Without it the whole list is answered. */
    limit?: number;
    /** Where the next page begins: from the `Link` header of the one before. */
    cursor?: string;
}

export interface CredentialsByIssuerData {
    /** Credentials, or what is to be said of them. */
    credentials: Array<{
        /** Id of a credential: `urn:uuid:…`. */
        credential_id: string;
        /** DID of the issuer. */
        issuer?: string;
        /** DID of the subject. */
        subject?: string;
        /** What kind of credential: any text. */
        credential_type: string;
        /** When it was issued. */
        issued_at: string;
        /** When it expires. */
        expires_at?: string;
        /** Whether it is revoked; false where that was not checked. */
        revoked: boolean;
    }>;
    /** How many there are in all. */
    total: number;
}

export interface CredentialsBySubjectInput {
    /** DID of the subject, of any method. */
    subject_did: string;
    /** Rows per page, 1 to 1,000. Without it the whole list is answered. */
    limit?: number;
    /** Where the next page begins: from the `Link` header of the one before. */
    cursor?: string;
}

export interface CredentialsBySubjectData {
    /** Credentials, or what is to be said of them. */
    credentials: Array<{
        /** Id of a credential: `urn:uuid:…`. */
        credential_id: string;
        /** DID of the issuer. */
        issuer?: string;
        /** DID of the subject. */
        subject?: string;
        /** What kind of credential: any text. */
        credential_type: string;
        /** When it was issued. */
        issued_at: string;
        /** When it expires. */
        expires_at?: string;
        /** Whether it is revoked; false where that was not checked. */
        revoked: boolean;
    }>;
    /** How many there are in all. */
    total: number;
}

export interface PresentationsCreateInput {
    /** DID of the holder: a did:key. */
    holder_did: string;
    /** The holder's Ed25519 private key in base64: 32 bytes (seed) or 64. */
    holder_private_key: string;
    /** Credentials, or what is to be said of them. */
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
    /** How many credentials are in it. */
    credentials_count: number;
    /** When it was made. */
    created_at: string;
}

export interface PresentationsVerifyInput {
    /** A presentation: a PASETO v4 public token. */
    presentation: string;
    /** DID of the verifier that the presentation is for. */
    audience: string;
    /** The verifier's challenge. */
    nonce?: string | null;
    /** Whether to check the credentials in it too. Default: true. */
    verify_credentials?: boolean | null;
    /** Whether to check for revocation too. Default: false. */
    check_revocation?: boolean | null;
}

export interface PresentationsVerifyData {
    /** Whether everything that was checked holds. */
    valid: boolean;
    /** DID of the holder. */
    holder?: string;
    /** DID of the verifier that the presentation is for. */
    audience?: string;
    /** Whether the nonce fits; only where one was asked for. */
    nonce_valid?: boolean;
    /** Credentials, or what is to be said of them. */
    credentials?: Array<{
        /** Whether everything that was checked holds. */
        valid: boolean;
        /** DID of the issuer. */
        issuer?: string;
        /** DID of the subject. */
        subject?: string;
        /** What kind of credential: any text. */
        credential_type?: string;
        /** What is said of the subject: any JSON object of at most 64 KiB, kept to the letter. */
        claims?: Record<string, unknown>;
        /** When it was issued. */
        issued_at?: string;
        /** When it expires. */
        expires_at?: string;
        /** Whether it is revoked; false where that was not checked. */
        revoked: boolean;
        /** Whether it has expired. */
        expired: boolean;
        /** Why it is not valid, or failed. */
        error?: string;
    }>;
    /** When it was made. */
    created_at?: string;
    /** Why it is not valid, or failed. */
    error?: string;
    /** The audience that the request named. */
    expected_audience?: string;
    /** The audience that the presentation names. */
    actual_audience?: string;
}

export interface WalletsCreateInput {
    /** A name to show, trimmed. */
    name: string;
    /** Of an account: at least 8 characters. Of a wallet: 1 to 1,024 bytes. */
    password: string;
    /** What it is for: at most 2,000 characters. */
    description?: string | null;
}

export interface WalletsCreateData {
    /** Id of a wallet. */
    wallet_id: string;
    /** A name to show, trimmed. */
    name: string;
    /** A did:key with an Ed25519 public key: `did:key:z6Mk…`. */
    did: string;
    /** Ed25519 public key: 32 bytes in base64. */
    public_key: string;
    /** When it was made. */
    created_at: string;
}

export interface WalletsOpenInput {
    /** Id of a wallet. */
    wallet_id: string;
    /** Of an account: at least 8 characters. Of a wallet: 1 to 1,024 bytes. */
    password: string;
}

export interface WalletsOpenData {
    /** Id of a wallet. */
    wallet_id: string;
    /** A name to show, trimmed. */
    name: string;
    /** A did:key with an Ed25519 public key: `did:key:z6Mk…`. */
    did: string;
    /** Ed25519 public key: 32 bytes in base64. */
    public_key: string;
    /** When it was made. */
    created_at: string;
    /** Ed25519 private key in base64: 32 bytes of seed, then the public key. Shown this once. */
    private_key: string;
    /** Credentials, or what is to be said of them. */
    credentials: Array<{
        /** Id of a credential: `urn:uuid:…`. */
        credential_id: string;
        /** What kind of credential: any text. */
        credential_type: string;
        /** DID of the issuer. */
        issuer: string;
        /** When it was stored first. */
        stored_at: string;
        /** Anything to keep beside it: a JSON object of at most 16 KiB. */
        metadata?: Record<string, unknown>;
        /** A credential: a PASETO v4 public token. */
        credential: string;
    }>;
}

export interface WalletsAddCredentialInput {
    /** Id of a wallet. */
    wallet_id: string;
    /** Of an account: at least 8 characters. Of a wallet: 1 to 1,024 bytes. */
    password: string;
    /** A credential: a PASETO v4 public token. */
    credential: string;
    /** Anything to keep beside it: a JSON object of at most 16 KiB. */
    metadata?: Record<string, unknown> | null;
}

export interface WalletsAddCredentialData {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** Id of a wallet. */
    wallet_id: string;
    /** What kind of credential: any text. */
    credential_type: string;
    /** DID of the issuer. */
    issuer: string;
    /** When it was stored first. */
    stored_at: string;
}

export interface WalletsListCredentialsInput {
    /** Id of a wallet. */
    wallet_id: string;
    /** Rows per page, 1 to 1,000. Without it the whole list is answered. */
    limit?: number;
    /** Where the next page begins: from the `Link` header of the one before. */
    cursor?: string;
    /** Of an account: at least 8 characters. Of a wallet: 1 to 1,024 bytes. */
    password: string;
}

export interface WalletsListCredentialsData {
    /** Credentials, or what is to be said of them. */
    credentials: Array<{
        /** Id of a credential: `urn:uuid:…`. */
        credential_id: string;
        /** What kind of credential: any text. */
        credential_type: string;
        /** DID of the issuer. */
        issuer: string;
        /** When it was stored first. */
        stored_at: string;
        /** Anything to keep beside it: a JSON object of at most 16 KiB. */
        metadata?: Record<string, unknown>;
    }>;
    /** How many there are in all. */
    total: number;
}

export interface WalletsDeleteCredentialInput {
    /** Id of a wallet. */
    wallet_id: string;
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** Of an account: at least 8 characters. Of a wallet: 1 to 1,024 bytes. */
    password: string | null;
}

export interface WalletsDeleteCredentialData {
    /** Id of a credential: `urn:uuid:…`. */
    credential_id: string;
    /** When it was deleted. */
    deleted_at: string;
}

export interface MeGetData {
    /** Id of an account. */
    user_id: string;
    /** Email address; unique, whatever its letter case. */
    email: string;
    /** A name to show, trimmed. */
    name: string | null;
    /** Decides how many requests per minute are served. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** When it was made. */
    created_at: string;
    /** The latest login; null before the first. */
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
    /** A name to show, trimmed. */
    name?: string | null;
    /** Email address; unique, whatever its letter case. */
    email?: string | null;
}

export interface MeUpdateData {
    /** Id of an account. */
    user_id: string;
    /** Email address; unique, whatever its letter case. */
    email: string;
    /** A name to show, trimmed. */
    name: string | null;
    /** When it was changed. */
    updated_at: string;
}

export interface MeChangePasswordInput {
    /** The password until now. */
    current_password: string;
    /** At least 8 characters. */
    new_password: string;
}

export interface MeChangePasswordData {
    /** When it was changed. */
    changed_at: string;
}

export interface MeQuotasData {
    /** Decides how many requests per minute are served. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** How much the account stores of each kind, and how much it may. */
    quotas: {
        /** Counts of DIDs. */
        dids: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store, at its tier. */
            quota: number;
        };
        /** Counts of wallets. */
        wallets: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store, at its tier. */
            quota: number;
        };
        /** Credentials in all wallets of the account. */
        wallet_credentials: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store, at its tier. */
            quota: number;
        };
        /** Bytes of these credentials, as they are sealed. */
        wallet_bytes: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store, at its tier. */
            quota: number;
        };
        /** API keys that are not revoked. */
        active_api_keys: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store, at its tier. */
            quota: number;
        };
        /** API keys, revoked ones too. */
        api_keys: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store, at its tier. */
            quota: number;
        };
        /** Open sessions. A login beyond the quota ends the oldest one. */
        sessions: {
            /** How much the account stores. */
            used: number;
            /** How much the account may store, at its tier. */
            quota: number;
        };
    };
}

export interface MeStatsData {
    /** The month that the counts are of: `YYYY-MM`. */
    period: string;
    /** Counts of DIDs. */
    dids: {
        /** How many there are in all. */
        total: number;
        /** Made since the month began, in UTC. */
        created_this_month: number;
    };
    /** Credentials, or what is to be said of them. */
    credentials: {
        /** Issued in all. */
        total_issued: number;
        /** Issued since the month began, in UTC. */
        issued_this_month: number;
        /** Revoked in all. */
        total_revoked: number;
        /** Issued and not revoked. */
        total_active: number;
    };
    /** Counts of presentations. */
    presentations: {
        /** Created in all. */
        total_created: number;
        /** Made since the month began, in UTC. */
        created_this_month: number;
        /** Verified in all. */
        total_verified: number;
    };
    /** Counts of requests. */
    api_usage: {
        /** Requests since the month began, in UTC. */
        requests_this_month: number;
        /** Requests since 00:00 UTC. */
        requests_today: number;
        /** Requests that were refused with 429. */
        rate_limit_hits: number;
    };
    /** Counts of wallets. */
    wallets: {
        /** How many there are in all. */
        total: number;
        /** Credentials in wallets. */
        credentials_stored: number;
    };
}

export interface AdminStatsData {
    /** Accounts. */
    users: {
        /** How many there are in all. */
        total: number;
        /** Accounts with a login or a call since 00:00 UTC. */
        active_today: number;
        /** Accounts with a login or a call since the week began, in UTC. */
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
        /** Created in all. */
        total_created: number;
    };
    /** Credentials, or what is to be said of them. */
    credentials: {
        /** Issued in all. */
        total_issued: number;
        /** Revoked in all. */
        total_revoked: number;
        /** Of a key: whether it is not revoked. Of a platform: how many are not revoked. */
        active: number;
    };
    /** Counts of presentations. */
    presentations: {
        /** Created in all. */
        total_created: number;
        /** Verified in all. */
        total_verified: number;
    };
    /** Counts of requests. */
    api_usage: {
        /** Requests since 00:00 UTC. */
        requests_today: number;
        /** Requests since the week began, in UTC. */
        requests_this_week: number;
    };
}

export interface AuthRegisterInput {
    /** Email address; unique, whatever its letter case. */
    email: string;
    /** Of an account: at least 8 characters. Of a wallet: 1 to 1,024 bytes. */
    password: string;
    /** A name to show, trimmed. */
    name?: string | null;
}

export interface AuthRegisterData {
    /** Id of an account. */
    user_id: string;
    /** Email address; unique, whatever its letter case. */
    email: string;
    /** A name to show, trimmed. */
    name: string | null;
    /** Decides how many requests per minute are served. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** When it was made. */
    created_at: string;
}

export interface AuthLoginInput {
    /** Email address; unique, whatever its letter case. */
    email: string;
    /** Of an account: at least 8 characters. Of a wallet: 1 to 1,024 bytes. */
    password: string;
}

export interface AuthLoginData {
    /** Session token: a JWT for `Authorization: Bearer`. */
    token: string;
    /** JWT that opens the next pair of tokens, once. */
    refresh_token: string;
    /** When it expires. */
    expires_at: string;
    /** Id of an account. */
    user_id: string;
    /** Email address; unique, whatever its letter case. */
    email: string;
    /** A name to show, trimmed. */
    name: string | null;
    /** Decides how many requests per minute are served. */
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
    /** JWT that opens the next pair of tokens, once. */
    refresh_token: string;
}

export interface AuthRefreshData {
    /** Session token: a JWT for `Authorization: Bearer`. */
    token: string;
    /** JWT that opens the next pair of tokens, once. */
    refresh_token: string;
    /** When it expires. */
    expires_at: string;
}

export interface AuthMeData {
    /** Id of an account. */
    user_id: string;
    /** Email address; unique, whatever its letter case. */
    email: string;
    /** A name to show, trimmed. */
    name: string | null;
    /** Decides how many requests per minute are served. */
    tier: 'free' | 'basic' | 'pro' | 'enterprise';
    /** When it was made. */
    created_at: string;
    /** The latest login; null before the first. */
    last_login_at: string | null;
}

export interface AdminCreateUsersInput {
    /** Accounts. */
    users: Array<{
        /** Email address; unique, whatever its letter case. */
        email: string;
        /** Of an account: at least 8 characters. Of a wallet: 1 to 1,024 bytes. */
        password: string;
        /** A name to show, trimmed. */
        name?: string | null;
        /** Decides how many requests per minute are served. */
        tier?: 'free' | 'basic' | 'pro' | 'enterprise' | null;
    }>;
}

export interface AdminCreateUsersData {
    /** Accounts that were created. */
    created: Array<{
        /** Id of an account. */
        user_id: string;
        /** Email address; unique, whatever its letter case. */
        email: string;
        /** Decides how many requests per minute are served. */
        tier: 'free' | 'basic' | 'pro' | 'enterprise';
    }>;
    /** Accounts that were not, with the reason. */
    failed: Array<{
        /** Email address; unique, whatever its letter case. */
        email: string;
        /** Why it is not valid, or failed. */
        error: string;
    }>;
    /** Created in all. */
    total_created: number;
    /** How many failed. */
    total_failed: number;
}

export interface HealthData {
    /** `degraded` while a dependency is down. */
    status: 'healthy' | 'degraded';
    /** Version of the service that runs. */
    version: string;
    /** When this was asked. */
    timestamp: string;
    /** What the service depends on. */
    services: {
        /** PostgreSQL. */
        database: 'up' | 'down';
        /** Redis. */
        cache: 'up' | 'down';
        /** Where credentials are recorded. */
        storage: 'up' | 'down';
    };
}
