CREATE TABLE did.dids (
    did text PRIMARY KEY,
    public_key bytea NOT NULL,
    -- Who had the row written; NULL for a trusted caller that named nobody.
    account uuid,
    -- generated: the key pair was made here for the account, which therefore owns the DID. wallet: so too, for one of its
    -- wallets. registered: somebody sent the public key, which proves nothing and gives no rights.
    origin text NOT NULL CHECK (origin IN ('generated', 'wallet', 'registered')),
    created_at timestamptz NOT NULL
);
