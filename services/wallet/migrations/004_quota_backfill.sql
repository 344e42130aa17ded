-- in batches
SELECT wallet.recount(100);
