-- Who caused the events of the row. NULL: an earlier release has appended it.
ALTER TABLE events.log ADD COLUMN actor text;
