-- What is remembered of a credential: its parties, type, times and revocation; never its claims, the token or a key.
CREATE TABLE credentials.credentials (
    -- A UUIDv7 of the time of issue: newest first is descending order of ids.
    id uuid PRIMARY KEY,
    -- Who had it issued; NULL for a trusted caller that named nobody.
    account uuid,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    -- DIDs are ASCII: compared byte by byte, whatever the database's language.
    issuer text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    credential_type text NOT NULL,
    revocation_reason text
);
-- A page of a list is one range of one of these, however many rows there are.
CREATE INDEX credentials_by_issuer ON credentials.credentials (issuer, id);
CREATE INDEX credentials_by_subject ON credentials.credentials (subject, id);
