-- Counts of what accounts have created and done. Every statement that writes countable rows appends to usage.deltas in
-- its own transaction. A job rolls these pending counts up into usage.totals. A count is the rolled-up total plus the
-- pending counts.

CREATE TABLE usage.deltas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- NULL: the row has no owner and counts for the platform only
    account uuid,
    kind text NOT NULL,
    -- when the rows were written (UTC)
    day date NOT NULL,
    amount bigint NOT NULL
);
CREATE INDEX deltas_by_account ON usage.deltas (account, kind);

CREATE TABLE usage.totals (
    -- the nil UUID stands for the whole platform, including rows without an owner
    account uuid NOT NULL,
    kind text NOT NULL,
    -- the first day of the month (UTC)
    month date NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (account, kind, month)
);

-- The days on which accounts were active, by requests or by a login.
CREATE TABLE usage.days (
    account uuid NOT NULL,
    day date NOT NULL,
    requests bigint NOT NULL,
    logins bigint NOT NULL,
    PRIMARY KEY (day, account)
);

-- Requests as the limiter counted them in Redis: absolute values for one day and one generation (column `life`) of a
-- bucket's record. Recording the same value twice adds nothing.
CREATE TABLE usage.requests (
    bucket text NOT NULL,
    account uuid NOT NULL,
    day date NOT NULL,
    life bigint NOT NULL,
    requests bigint NOT NULL,
    refused bigint NOT NULL,
    verified bigint NOT NULL,
    last_used_at timestamptz,
    PRIMARY KEY (bucket, day, life)
);
