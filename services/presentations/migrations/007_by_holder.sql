-- For erasing a holder. If the table is large, an operator creates this index by hand before the upgrade
-- (docs/operations/deploy.md, Migrations).
CREATE INDEX IF NOT EXISTS presentations_by_holder ON presentations.presentations (holder, id);
