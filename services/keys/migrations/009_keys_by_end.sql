-- The keys of an account that are not revoked, and those that were revoked lately.
CREATE INDEX IF NOT EXISTS keys_by_end ON keys.keys (account, revoked_at);
