-- The expiry of a key that its account has been told in an event; NULL: none. A changed expiry is told again. If the table is
-- large, an operator creates the index by hand before the upgrade (docs/operations/deploy.md, Migrations).
ALTER TABLE keys.keys ADD COLUMN IF NOT EXISTS told_expiry timestamptz;
CREATE INDEX IF NOT EXISTS keys_untold ON keys.keys (expires_at)
    WHERE expires_at IS NOT NULL AND counted AND revoked_at IS NULL AND told_expiry IS DISTINCT FROM expires_at;
