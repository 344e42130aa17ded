CREATE TABLE keys.keys (
    key_id uuid PRIMARY KEY,
    account uuid NOT NULL,
    -- SHA-256 of the secret; the secret itself is never stored
    hash bytea NOT NULL UNIQUE,
    mask text NOT NULL,
    name text NOT NULL,
    tier text NOT NULL CHECK (tier IN ('free', 'basic', 'pro', 'enterprise')),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    revoked_at timestamptz
);
-- A key's id contains its creation time, so this is also the order by age.
CREATE INDEX keys_by_account ON keys.keys (account, key_id DESC);

-- The number of active keys of each account. Concurrent callers take turns on this row, so together they cannot exceed
-- the limit.
CREATE TABLE keys.accounts (
    account uuid PRIMARY KEY,
    active_keys integer NOT NULL CHECK (active_keys >= 0)
);
