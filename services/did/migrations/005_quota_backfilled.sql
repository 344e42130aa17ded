-- No program uses these.
DROP FUNCTION did.recount;
DROP TABLE did.recounted;
