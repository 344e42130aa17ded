-- The number of DIDs that each account has created and registered, without those of its wallets. A trigger counts in
-- the transaction that writes, so that DIDs written by programs of the previous release are counted too. The number of
-- an account is the sum of its rows: each connection counts in one of sixteen rows, so that two transactions of an
-- account rarely wait for each other.
CREATE TABLE did.accounts (
    account uuid NOT NULL,
    slot integer NOT NULL,
    dids bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (account, slot)
);

CREATE FUNCTION did.count_dids() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO did.accounts AS accounts (account, slot, dids)
    SELECT account, pg_backend_pid() % 16, count(*) FROM written WHERE account IS NOT NULL AND origin <> 'wallet'
    GROUP BY account ORDER BY account
    ON CONFLICT (account, slot) DO UPDATE SET dids = accounts.dids + excluded.dids;
    RETURN NULL;
END $$;
CREATE TRIGGER count_dids AFTER INSERT ON did.dids
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION did.count_dids();

-- For the backfill: the last account that it has counted, and the function that counts. A transaction that writes for
-- an account waits for a row of the account. So a count that is taken while all of these rows are locked misses
-- nothing, and counts nothing twice.
CREATE TABLE did.recounted (account uuid NOT NULL);
CREATE FUNCTION did.recount(size integer) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
    reached uuid := (SELECT account FROM did.recounted);
    owner uuid;
BEGIN
    FOR turn IN 1..size LOOP
        SELECT account INTO owner FROM did.dids WHERE account > coalesce(reached, '00000000-0000-0000-0000-000000000000')
        ORDER BY account LIMIT 1;
        EXIT WHEN owner IS NULL;
        INSERT INTO did.accounts (account, slot) SELECT owner, generate_series(0, 15) ON CONFLICT DO NOTHING;
        PERFORM FROM did.accounts WHERE account = owner ORDER BY slot FOR UPDATE;
        UPDATE did.accounts SET dids = CASE slot
            WHEN 0 THEN (SELECT count(*) FROM did.dids WHERE account = owner AND origin <> 'wallet')
            ELSE 0 END
        WHERE account = owner;
        reached := owner;
        RETURN NEXT owner;
    END LOOP;
    DELETE FROM did.recounted;
    INSERT INTO did.recounted SELECT reached WHERE reached IS NOT NULL;
END $$;
