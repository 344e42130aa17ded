-- What accounts have made and done, as counts. Every statement that writes countable rows appends to deltas in its own
-- transaction; a job folds deltas into totals; a count is the folded total and the deltas that are still there.

CREATE TABLE usage.deltas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- NULL: a row without an owner, which counts for the platform alone
    account uuid,
    kind text NOT NULL,
    -- when the rows were written (UTC)
    day date NOT NULL,
    amount bigint NOT NULL
);
CREATE INDEX deltas_by_account ON usage.deltas (account, kind);

CREATE TABLE usage.totals (
    -- the nil UUID: the whole platform, rows without an owner included
    account uuid NOT NULL,
    kind text NOT NULL,
    -- its first day (UTC)
    month date NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (account, kind, month)
);

-- The days on which accounts were active: by requests, or by a login.
CREATE TABLE usage.days (
    account uuid NOT NULL,
    day date NOT NULL,
    requests bigint NOT NULL,
    logins bigint NOT NULL,
    PRIMARY KEY (day, account)
);

-- Requests as the limiter counted them in Redis: absolute values for one day and one life of a bucket's record. Recording the
-- same value twice adds nothing.
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
