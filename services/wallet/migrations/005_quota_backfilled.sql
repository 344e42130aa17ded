-- No program uses these.
DROP FUNCTION wallet.recount;
DROP TABLE wallet.recounted;
