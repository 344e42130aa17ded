-- in batches
SELECT keys.recount(100);
