-- The usage service counts what an account stores in wallets: now the bytes, too. Those of wallets without an account count
-- for the platform. wallet.accounts keeps its last counts for programs of the previous release, which read them; a later
-- release drops it. What these programs store meanwhile is missing in the bytes.
DROP TRIGGER count_wallets ON wallet.wallets;
DROP TRIGGER count_inserted ON wallet.credentials;
DROP TRIGGER count_updated ON wallet.credentials;
DROP TRIGGER count_deleted ON wallet.credentials;
DROP FUNCTION wallet.count_wallets;
DROP FUNCTION wallet.count_credentials;
DROP FUNCTION wallet.add_to_counts;

INSERT INTO usage.deltas (account, kind, day, amount)
SELECT account, 'wallet_bytes', (now() AT TIME ZONE 'UTC')::date, bytes FROM wallet.accounts WHERE bytes <> 0
UNION ALL
SELECT NULL, 'wallet_bytes', (now() AT TIME ZONE 'UTC')::date, sum(octet_length(sealed))
FROM wallet.wallets JOIN wallet.credentials AS entries ON entries.wallet = wallets.id
WHERE account IS NULL HAVING count(*) > 0;
