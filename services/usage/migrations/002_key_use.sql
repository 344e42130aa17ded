-- How much each API key was used: on the last day of its use and in the month of that day (UTC). Processes that serve
-- calls send counts in batches. Nothing of this release uses usage.requests any more; a later release drops it.
CREATE TABLE usage.keys (
    key_id uuid PRIMARY KEY,
    account uuid NOT NULL,
    last_used_at timestamptz NOT NULL,
    day date NOT NULL,
    requests_of_day bigint NOT NULL,
    requests_of_month bigint NOT NULL
) WITH (fillfactor = 80);

-- The batches that are recorded, for a day: a batch that is sent again adds nothing. An id is a UUIDv7, so it contains
-- the time.
CREATE TABLE usage.batches (id uuid PRIMARY KEY);
