-- What has caused the events: JSON, which PostgreSQL does not look into. NULL: an earlier release has written the entry.
ALTER TABLE keys.outbox ADD COLUMN causes text;
