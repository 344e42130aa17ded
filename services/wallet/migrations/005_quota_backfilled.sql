-- Only the backfill used these.
DROP FUNCTION wallet.recount;
DROP TABLE wallet.recounted;
