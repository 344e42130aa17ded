-- requires 003_backfill.sql
-- Contract, one release later: no running program reads full_name any more.
DROP TRIGGER name_from_full_name ON people.people;
DROP FUNCTION people.name_from_full_name;
ALTER TABLE people.people DROP COLUMN full_name;
ALTER TABLE people.people ALTER COLUMN name SET NOT NULL;
