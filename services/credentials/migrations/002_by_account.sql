-- A list of another account's DID first reads what the caller has issued itself. If the table is large, an operator
-- creates this index by hand before the upgrade (docs/operations.md, Migrations).
CREATE INDEX IF NOT EXISTS credentials_by_account ON credentials.credentials (account, id);
