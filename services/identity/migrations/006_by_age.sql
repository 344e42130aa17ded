-- The removal of expired claims and sessions reads them in the order of these indexes. If the table is large, an operator creates them by
-- hand before the upgrade (docs/operations.md, Migrations).
CREATE INDEX IF NOT EXISTS idempotency_by_age ON identity.idempotency (made_at);
CREATE INDEX IF NOT EXISTS sessions_by_end ON identity.sessions (expires_at);
