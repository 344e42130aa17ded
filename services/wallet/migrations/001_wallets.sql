-- Wallets. Their content is in sealed records (workers/crypto/seal.ts); only ids and times are not sealed.
CREATE TABLE wallet.wallets (
    id uuid PRIMARY KEY,
    -- The owner; NULL if a trusted caller that acts for no account created the wallet.
    account uuid,
    created_at timestamptz NOT NULL,
    -- Argon2id derives a key from the password with these parameters. That key opens data_key, and data_key opens
    -- everything else.
    salt bytea NOT NULL,
    memory_kib integer NOT NULL,
    passes integer NOT NULL,
    data_key bytea NOT NULL,
    -- The seed of its Ed25519 key pair, which determines its DID.
    private_key bytea NOT NULL,
    profile bytea NOT NULL
);

CREATE TABLE wallet.credentials (
    wallet uuid NOT NULL REFERENCES wallet.wallets,
    credential uuid NOT NULL,
    -- UUIDv7 of the time at which the credential was first stored. Lists are in this order.
    entry uuid NOT NULL,
    stored_at timestamptz NOT NULL,
    -- Distinguishes its issuer from others without revealing who it is.
    issuer_tag bytea NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (wallet, credential),
    UNIQUE (wallet, entry)
);
-- Encrypted data cannot be compressed.
ALTER TABLE wallet.credentials ALTER COLUMN sealed SET STORAGE EXTERNAL;
