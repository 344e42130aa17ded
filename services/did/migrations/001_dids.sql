CREATE TABLE did.dids (
    did text PRIMARY KEY,
    public_key bytea NOT NULL,
    -- The account that wrote the row; NULL if a trusted caller that acts for no account wrote it.
    account uuid,
    -- generated: the service made the key pair for the account, which therefore owns the DID. wallet: the same, for one
    -- of the account's wallets. registered: a client sent the public key, which proves nothing and gives no rights.
    origin text NOT NULL CHECK (origin IN ('generated', 'wallet', 'registered')),
    created_at timestamptz NOT NULL
);
