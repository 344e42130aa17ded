-- The rate limit window in which the key's calls count. Null: the window that has the key's id. A successor counts in the
-- window of its predecessor, and a new key in that of one that has just ended (services/keys/places.store.ts).
ALTER TABLE keys.keys ADD COLUMN bucket uuid;
