-- All keys of an account are counted from their rows while its row is locked. keys.accounts.all_keys keeps its last counts
-- for programs of the previous release, which read them; a later release drops it.
DROP TRIGGER count_keys ON keys.keys;
DROP FUNCTION keys.count_keys;
