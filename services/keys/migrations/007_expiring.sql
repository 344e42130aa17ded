-- Expired keys that still count as active ones. No key expires yet, so this takes one read of the table.
CREATE INDEX IF NOT EXISTS keys_expiring ON keys.keys (expires_at)
    WHERE expires_at IS NOT NULL AND counted AND revoked_at IS NULL;
