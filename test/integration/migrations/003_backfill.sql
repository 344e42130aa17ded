-- in batches
-- Ships in the same release as 002, whose program reads and writes only name. Each run commits separately, until one
-- changes nothing.
UPDATE people.people SET name = full_name
WHERE id IN (SELECT id FROM people.people WHERE name IS NULL LIMIT 1000);
