-- The account that has made a claim, so that its claims can be erased with it; NULL if it was made for no account, or by a
-- program of the previous release. If the table is large, an operator adds the column and creates the index by hand
-- before the upgrade (docs/operations/deploy.md, Migrations).
ALTER TABLE signing.idempotency ADD COLUMN IF NOT EXISTS claimant uuid;
CREATE INDEX IF NOT EXISTS idempotency_by_claimant ON signing.idempotency (claimant) WHERE claimant IS NOT NULL;
