-- The parties, the type, the times and the revocation of each credential. Its claims, its token and keys are never
-- stored.
CREATE TABLE credentials.credentials (
    -- A UUIDv7 of the time of issue, so descending order of ids is newest first.
    id uuid PRIMARY KEY,
    -- The account that issued it; NULL if a trusted caller that acts for no account issued it.
    account uuid,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    -- DIDs are ASCII, so they are compared byte by byte, whatever the database's language.
    issuer text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    credential_type text NOT NULL,
    revocation_reason text
);
-- A page of a list is one range of one of these indexes, however many rows the table has.
CREATE INDEX credentials_by_issuer ON credentials.credentials (issuer, id);
CREATE INDEX credentials_by_subject ON credentials.credentials (subject, id);
