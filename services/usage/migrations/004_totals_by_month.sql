-- The job that merges earlier months finds the totals of a month in this index. If the table is large, an operator creates
-- it by hand before the upgrade (docs/operations.md, Migrations).
CREATE INDEX IF NOT EXISTS totals_by_month ON usage.totals (month, account);
