-- That there is a presentation, and whose; what is in it is between its holder and its verifier.
CREATE TABLE presentations.presentations (
    id uuid PRIMARY KEY,
    -- Who had it made; NULL for a trusted caller that named nobody.
    account uuid,
    created_at timestamptz NOT NULL,
    credentials_count smallint NOT NULL,
    holder text NOT NULL,
    audience text NOT NULL
);
