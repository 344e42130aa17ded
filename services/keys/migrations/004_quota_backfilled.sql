-- Only the backfill used these.
DROP FUNCTION keys.recount;
DROP TABLE keys.recounted;
