-- Lists of somebody else's DID begin with what the caller has issued itself. Of a large table the index is made by hand before
-- the upgrade (docs/operations.md, Migrations).
CREATE INDEX IF NOT EXISTS credentials_by_account ON credentials.credentials (account, id);
