-- The number of keys of each account, including revoked ones. A trigger counts in the transaction that writes, so that
-- keys written by programs of the previous release are counted too.
ALTER TABLE keys.accounts ADD COLUMN all_keys bigint NOT NULL DEFAULT 0;

CREATE FUNCTION keys.count_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO keys.accounts AS accounts (account, active_keys, all_keys)
    SELECT account, 0, count(*) FROM written GROUP BY account ORDER BY account
    ON CONFLICT (account) DO UPDATE SET all_keys = accounts.all_keys + excluded.all_keys;
    RETURN NULL;
END $$;
CREATE TRIGGER count_keys AFTER INSERT ON keys.keys
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION keys.count_keys();

-- For the backfill: the last account that it has counted, and the function that counts. A transaction that writes for
-- an account waits for the account's row. So a count that is taken while that row is locked misses nothing, and counts
-- nothing twice.
CREATE TABLE keys.recounted (account uuid NOT NULL);
CREATE FUNCTION keys.recount(size integer) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
    reached uuid := (SELECT account FROM keys.recounted);
    owner uuid;
BEGIN
    FOR turn IN 1..size LOOP
        SELECT account INTO owner FROM keys.accounts WHERE account > coalesce(reached, '00000000-0000-0000-0000-000000000000')
        ORDER BY account LIMIT 1 FOR UPDATE;
        EXIT WHEN owner IS NULL;
        UPDATE keys.accounts SET all_keys = (SELECT count(*) FROM keys.keys WHERE account = owner) WHERE account = owner;
        reached := owner;
        RETURN NEXT owner;
    END LOOP;
    DELETE FROM keys.recounted;
    INSERT INTO keys.recounted SELECT reached WHERE reached IS NOT NULL;
END $$;
