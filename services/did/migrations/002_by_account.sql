-- For the DIDs that an account owns. If the table is large, an operator creates this index by hand before the upgrade
-- (docs/operations.md, Migrations).
CREATE INDEX IF NOT EXISTS dids_by_account ON did.dids (account, did);
