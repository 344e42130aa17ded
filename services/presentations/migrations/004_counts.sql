-- This service counts its own rows from now on (services/counts), so that no statement names two schemas. Programs of the
-- previous release count in usage.deltas; `npm run usage:recompute -- --repair` adds what they write beside this release.

CREATE TABLE presentations.deltas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- NULL: the row has no owner and counts for the platform only
    account uuid,
    kind text NOT NULL,
    -- when the rows were written (UTC)
    day date NOT NULL,
    amount bigint NOT NULL
);
CREATE INDEX deltas_by_account ON presentations.deltas (account, kind);

CREATE TABLE presentations.totals (
    -- the nil UUID stands for the whole platform, including rows without an owner
    account uuid NOT NULL,
    kind text NOT NULL,
    -- the first day of the month (UTC)
    month date NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (account, kind, month)
);
CREATE INDEX totals_by_month ON presentations.totals (month, account);

INSERT INTO presentations.totals (account, kind, month, amount)
WITH owned AS (
    SELECT account, 'presentations_created' AS kind, date_trunc('month', created_at AT TIME ZONE 'UTC')::date AS month, count(*) AS amount
    FROM presentations.presentations GROUP BY account, month
)
SELECT account, kind, month, sum(amount) FROM owned WHERE account IS NOT NULL GROUP BY account, kind, month
UNION ALL
SELECT '00000000-0000-0000-0000-000000000000', kind, month, sum(amount) FROM owned GROUP BY kind, month;
