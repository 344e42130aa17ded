-- The number up to which the events of an erased account are empty. NULL: the account is not erased.
ALTER TABLE events.heads ADD COLUMN emptied_to bigint;
