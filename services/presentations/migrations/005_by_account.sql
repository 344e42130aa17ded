-- For the presentations of an account. If the table is large, an operator creates this index by hand before the upgrade
-- (docs/operations/deploy.md, Migrations).
CREATE INDEX IF NOT EXISTS presentations_by_account ON presentations.presentations (account, id);
