-- The usage service counts the DIDs of an account. did.accounts keeps its last counts for programs of the previous
-- release, which read them; a later release drops it.
DROP TRIGGER count_dids ON did.dids;
DROP FUNCTION did.count_dids;
