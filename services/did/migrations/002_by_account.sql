-- The DIDs that an account owns. Of a large table the index is made by hand before the upgrade (docs/operations.md, Migrations).
CREATE INDEX IF NOT EXISTS dids_by_account ON did.dids (account, did);
