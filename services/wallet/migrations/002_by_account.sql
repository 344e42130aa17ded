-- The wallets of an account. Of a large table the index is made by hand before the upgrade (docs/operations.md, Migrations).
CREATE INDEX IF NOT EXISTS wallets_by_account ON wallet.wallets (account, id);
