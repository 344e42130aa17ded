-- Credentials that accounts offer to the wallets of other people. Nothing here opens an offer: its secret is in its link
-- alone, its code is derived from the secret, and its claims are sealed under the code and a pepper.

CREATE TABLE exchange.configurations (
    issuer uuid NOT NULL,
    id text NOT NULL,
    account uuid NOT NULL,
    -- what the metadata of the issuer says about these credentials
    definition jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, id)
);
CREATE INDEX configurations_by_account ON exchange.configurations (account, issuer);

CREATE TABLE exchange.offers (
    id uuid PRIMARY KEY,
    account uuid NOT NULL,
    -- the API key that has made it; NULL if that was a session
    api_key uuid,
    -- of the account when it has made the offer, for its quota of credentials
    tier text,
    issuer uuid NOT NULL,
    issuer_did text NOT NULL,
    configuration text NOT NULL,
    -- SHA-256 of the secret, the code and the access token
    secret_hash bytea NOT NULL UNIQUE,
    code_hash bytea NOT NULL UNIQUE,
    token_hash bytea UNIQUE,
    -- the claims, sealed under the code; from its spending on under the access token
    sealed bytea NOT NULL,
    -- what the wallet tells its holder about the transaction code; NULL if none is needed
    tx_code jsonb,
    -- derived from the transaction code, the code and the pepper
    tx_hash bytea,
    tx_failures int NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    code_used_at timestamptz,
    token_expires_at timestamptz,
    -- the thumbprint of the key that the access token is bound to; NULL for a bearer token
    dpop_jkt text,
    -- what the wallet has said about the credentials
    notification text
);
-- For the lists of an account, newest first.
CREATE INDEX offers_by_account ON exchange.offers (account, id);
-- Finds those that are removed.
CREATE INDEX offers_by_expiry ON exchange.offers (expires_at);

-- The keys of wallets that credentials of an offer were issued for.
CREATE TABLE exchange.bindings (
    offer uuid NOT NULL REFERENCES exchange.offers ON DELETE CASCADE,
    -- SHA-256 of the key (RFC 7638)
    thumbprint bytea NOT NULL,
    -- NULL until the credential is issued
    credential text,
    PRIMARY KEY (offer, thumbprint)
);

-- The number of offers of each account. Its row is locked while one is created, so that concurrent calls cannot exceed the
-- quota.
CREATE TABLE exchange.accounts (
    account uuid PRIMARY KEY,
    offers bigint NOT NULL DEFAULT 0
);

-- The Idempotency-Keys that calls were made with, until they expire. The columns are derived from the key and a pepper,
-- which is not in the database: no key, no request and no answer can be read here.
CREATE TABLE exchange.idempotency (
    -- identifies the account, the operation and the key
    scope_hash bytea PRIMARY KEY,
    -- identifies the request
    fingerprint bytea NOT NULL,
    -- the id of what the call has created
    id uuid NOT NULL,
    made_at timestamptz NOT NULL,
    -- the answer, sealed with a key that is derived from the Idempotency-Key
    sealed bytea,
    -- the account that has made the claim
    claimant uuid
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX idempotency_by_age ON exchange.idempotency (made_at);
CREATE INDEX idempotency_by_claimant ON exchange.idempotency (claimant) WHERE claimant IS NOT NULL;
