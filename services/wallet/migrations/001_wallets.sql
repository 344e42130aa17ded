-- Wallets. All that they hold is in sealed records (workers/crypto/seal.ts); what is not sealed is ids and times.
CREATE TABLE wallet.wallets (
    id uuid PRIMARY KEY,
    -- Whose it is; NULL for a trusted caller that named nobody.
    account uuid,
    created_at timestamptz NOT NULL,
    -- Argon2id of the password with these is the key that opens data_key, and data_key opens everything else.
    salt bytea NOT NULL,
    memory_kib integer NOT NULL,
    passes integer NOT NULL,
    data_key bytea NOT NULL,
    -- The seed of its Ed25519 key pair, from which its DID follows.
    private_key bytea NOT NULL,
    profile bytea NOT NULL
);

CREATE TABLE wallet.credentials (
    wallet uuid NOT NULL REFERENCES wallet.wallets,
    credential uuid NOT NULL,
    -- UUIDv7 of the first time that it was stored: the order of lists.
    entry uuid NOT NULL,
    stored_at timestamptz NOT NULL,
    -- Tells its issuer from others, without saying who that is.
    issuer_tag bytea NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (wallet, credential),
    UNIQUE (wallet, entry)
);
-- What is encrypted does not get smaller.
ALTER TABLE wallet.credentials ALTER COLUMN sealed SET STORAGE EXTERNAL;
