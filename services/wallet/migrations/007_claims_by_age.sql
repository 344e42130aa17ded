-- The removal of expired claims reads them in the order of this index. If the table is large, an operator creates it by
-- hand before the upgrade (docs/operations.md, Migrations).
CREATE INDEX IF NOT EXISTS idempotency_by_age ON wallet.idempotency (made_at);
