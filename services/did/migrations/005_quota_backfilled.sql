-- Only the backfill used these.
DROP FUNCTION did.recount;
DROP TABLE did.recounted;
