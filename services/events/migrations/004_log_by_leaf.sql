CREATE INDEX IF NOT EXISTS log_by_leaf ON events.log (leaf);
