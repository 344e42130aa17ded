-- Managed issuers and their signing keys. No private key is stored in clear: a data key of the account seals it, and a
-- key-encryption key, which is not in the database, wraps the data key.
CREATE TABLE signing.issuers (
    id uuid PRIMARY KEY,
    -- NULL for the service itself, which signs status lists.
    account uuid,
    did text NOT NULL UNIQUE,
    method text NOT NULL CHECK (method IN ('key', 'web')),
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    archived_at timestamptz
);
-- For the lists of an account, newest first.
CREATE INDEX issuers_by_account ON signing.issuers (account, id);
-- The service has one issuer of its own.
CREATE UNIQUE INDEX issuers_own ON signing.issuers ((true)) WHERE account IS NULL;

-- The data keys of the accounts. An account has a second one if two processes created its first key at the same time.
CREATE TABLE signing.data_keys (
    id uuid PRIMARY KEY,
    account uuid,
    -- Names the key-encryption key that wraps it.
    kek text NOT NULL,
    wrapped bytea NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX data_keys_by_account ON signing.data_keys (account);

CREATE TABLE signing.keys (
    -- The public key as in a did:key (z6Mk...).
    kid text PRIMARY KEY,
    issuer uuid NOT NULL REFERENCES signing.issuers,
    -- The seed, sealed with the data key for this account, issuer and key.
    sealed bytea NOT NULL,
    data_key uuid NOT NULL REFERENCES signing.data_keys,
    created_at timestamptz NOT NULL,
    retired_at timestamptz,
    compromised_at timestamptz,
    reason text
);
CREATE INDEX keys_by_issuer ON signing.keys (issuer);
-- An issuer signs with one key.
CREATE UNIQUE INDEX keys_active ON signing.keys (issuer) WHERE retired_at IS NULL AND compromised_at IS NULL;

-- The number of issuers of each account, including archived ones. Its row is locked while an issuer is created, so
-- that concurrent calls cannot exceed the quota.
CREATE TABLE signing.accounts (
    account uuid PRIMARY KEY,
    issuers bigint NOT NULL DEFAULT 0
);

-- The Idempotency-Keys that calls were made with, until they expire. The columns are derived from the key and a pepper,
-- which is not in the database: no key, no request and no answer can be read here.
CREATE TABLE signing.idempotency (
    -- identifies the account, the operation and the key
    scope_hash bytea PRIMARY KEY,
    -- identifies the request
    fingerprint bytea NOT NULL,
    -- the id of what the call has created
    id uuid NOT NULL,
    made_at timestamptz NOT NULL,
    -- the answer, sealed with a key that is derived from the Idempotency-Key
    sealed bytea
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX idempotency_by_time ON signing.idempotency USING brin (made_at) WITH (autosummarize = on);
