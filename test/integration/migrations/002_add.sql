-- Expand: adds the new column. The previous release does not know it, so a trigger fills it in for rows that it writes.
ALTER TABLE people.people ADD COLUMN name text;
CREATE FUNCTION people.name_from_full_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name := coalesce(NEW.name, NEW.full_name);
    NEW.full_name := NEW.name;
    RETURN NEW;
END $$;
CREATE TRIGGER name_from_full_name BEFORE INSERT OR UPDATE ON people.people
    FOR EACH ROW EXECUTE FUNCTION people.name_from_full_name();
