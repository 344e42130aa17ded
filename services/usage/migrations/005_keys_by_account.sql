-- For the uses of the keys of an account. If the table is large, an operator creates this index by hand before the upgrade
-- (docs/operations/deploy.md, Migrations).
CREATE INDEX IF NOT EXISTS keys_by_account ON usage.keys (account, key_id);
