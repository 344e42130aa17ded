-- The place of a credential on a status list; NULL if it has none. If the table is large, an operator adds the columns
-- and creates the index by hand before the upgrade (docs/operations.md, Migrations).
ALTER TABLE credentials.credentials
    ADD COLUMN IF NOT EXISTS status_list int,
    ADD COLUMN IF NOT EXISTS status_index int;
-- The statuses of a list are read from this index. A credential enters it only when it is revoked.
CREATE INDEX IF NOT EXISTS credentials_revoked_by_place ON credentials.credentials (status_list, status_index)
    WHERE revoked_at IS NOT NULL AND status_list IS NOT NULL;

CREATE FUNCTION credentials.note_status_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO credentials.status_changes (list) VALUES (NEW.status_list);
    RETURN NULL;
END $$;
-- A trigger, so that no revocation is missed, whichever program makes it: during an upgrade, programs that know nothing of
-- status lists revoke, too.
CREATE TRIGGER note_status_change AFTER UPDATE OF revoked_at ON credentials.credentials
    FOR EACH ROW WHEN (NEW.status_list IS NOT NULL AND OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
    EXECUTE FUNCTION credentials.note_status_change();
