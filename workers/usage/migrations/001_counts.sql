-- What accounts have made, as counts. Every statement that writes countable rows appends to deltas in its own transaction;
-- a job folds deltas into totals; a count is the folded total and the deltas that are still there.

CREATE TABLE usage.deltas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- NULL: a row without an owner, which counts for the platform alone
    account uuid,
    kind text NOT NULL,
    -- first day of the month (UTC) in which the rows were written
    month date NOT NULL,
    amount bigint NOT NULL
);
CREATE INDEX deltas_by_account ON usage.deltas (account, kind);

CREATE TABLE usage.totals (
    -- the nil UUID: rows without an owner
    account uuid NOT NULL,
    kind text NOT NULL,
    month date NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (account, kind, month)
);

-- Requests, as the limiter counted them in Redis: absolute values for one day and one life of the limiter's record.
CREATE TABLE usage.requests (
    bucket text NOT NULL,
    account uuid NOT NULL,
    day date NOT NULL,
    life bigint NOT NULL,
    requests bigint NOT NULL,
    refused bigint NOT NULL,
    last_used_at timestamptz,
    PRIMARY KEY (bucket, day, life)
);
CREATE INDEX requests_by_account ON usage.requests (account, day);
