-- No program uses these.
DROP FUNCTION keys.recount;
DROP TABLE keys.recounted;
