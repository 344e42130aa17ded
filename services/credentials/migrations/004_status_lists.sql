-- Lists with a status for each credential on them, which anybody may read. A credential has a place on a list only if
-- its issuer asked for one.
CREATE TABLE credentials.status_lists (
    -- credentials name their list by this number, which is shorter than its id
    list int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- identifies the list in its address
    list_id uuid NOT NULL UNIQUE,
    -- the address under which credentials name the list: `<public_url>/v1/status-lists/<list_id>`
    public_url text NOT NULL,
    -- the did:key that signs the list
    issuer_did text NOT NULL,
    -- determines the order in which the list's indexes are given out
    permutation_key bytea NOT NULL,
    -- how many of its places have been given to processes, of 2^20. A place that a process has not used when it ends
    -- stays empty.
    taken int NOT NULL DEFAULT 0 CHECK (taken BETWEEN 0 AND 1048576),
    created_at timestamptz NOT NULL
);
-- One list is open at a time, so processes that start at once do not begin several.
CREATE UNIQUE INDEX status_lists_open ON credentials.status_lists (public_url) WHERE taken < 1048576;

-- The lists as they are served: signed, with the statuses compressed.
CREATE TABLE credentials.status_publications (
    list int PRIMARY KEY REFERENCES credentials.status_lists,
    -- the number of revoked credentials on it
    revoked int NOT NULL,
    issued_at timestamptz NOT NULL,
    token text NOT NULL
);

-- Revocations that may not be published yet. The publisher removes a row after it has published the list.
CREATE TABLE credentials.status_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    list int NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0.05);
