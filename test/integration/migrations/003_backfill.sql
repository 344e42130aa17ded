-- Of one release with 002: its program reads and writes name alone.
UPDATE people.people SET name = full_name WHERE name IS NULL;
