-- in batches
SELECT did.recount(100);
