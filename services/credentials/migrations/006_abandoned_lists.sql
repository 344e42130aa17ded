-- When the key that signs the list was given up because it is lost: the list is never signed again, and has no free place.
ALTER TABLE credentials.status_lists ADD COLUMN abandoned_at timestamptz;
