-- For the wallets of an account. If the table is large, an operator creates this index by hand before the upgrade
-- (docs/operations.md, Migrations).
CREATE INDEX IF NOT EXISTS wallets_by_account ON wallet.wallets (account, id);
