-- The entries whose events are in the log: one that is sent again adds nothing. An id is a UUIDv7, so it contains the time.
CREATE TABLE events.entries (entry_id uuid PRIMARY KEY);

-- The events of all accounts. A row has the events of one type that one statement has written for one account.
CREATE TABLE events.log (
    account uuid NOT NULL,
    -- the number of the last event of the row. The numbers of an account have no gaps, and begin with 1.
    last_seq bigint NOT NULL,
    count int NOT NULL,
    type text NOT NULL,
    happened_at timestamptz NOT NULL,
    -- an array with one object for each event
    data jsonb NOT NULL,
    PRIMARY KEY (account, last_seq)
);
-- Finds the old events that are removed.
CREATE INDEX log_by_age ON events.log (happened_at);

-- The number of the last event of each account. It stays when its events are removed.
CREATE TABLE events.heads (
    account uuid PRIMARY KEY,
    seq bigint NOT NULL
) WITH (fillfactor = 80);
