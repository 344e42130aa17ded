-- in batches
-- Of one release with 002: its program reads and writes name alone. Each run commits by itself, until one changes nothing.
UPDATE people.people SET name = full_name
WHERE id IN (SELECT id FROM people.people WHERE name IS NULL LIMIT 1000);
