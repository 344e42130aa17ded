-- One row for each presentation. Its content is not stored: it concerns only the holder and the verifier.
CREATE TABLE presentations.presentations (
    id uuid PRIMARY KEY,
    -- The account that created it; NULL if a trusted caller that acts for no account created it.
    account uuid,
    created_at timestamptz NOT NULL,
    credentials_count smallint NOT NULL,
    holder text NOT NULL,
    audience text NOT NULL
);
