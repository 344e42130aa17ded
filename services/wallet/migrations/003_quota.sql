-- What each account stores in wallets: the number of wallets, the number of credentials in them, and the bytes of these
-- credentials, sealed. Triggers count in the transaction that writes, so that rows written by programs of the previous
-- release are counted too.
CREATE TABLE wallet.accounts (
    account uuid PRIMARY KEY,
    wallets bigint NOT NULL DEFAULT 0,
    credentials bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0
);

CREATE FUNCTION wallet.count_wallets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO wallet.accounts AS accounts (account, wallets)
    SELECT account, count(*) FROM written WHERE account IS NOT NULL GROUP BY account ORDER BY account
    ON CONFLICT (account) DO UPDATE SET wallets = accounts.wallets + excluded.wallets;
    RETURN NULL;
END $$;
CREATE TRIGGER count_wallets AFTER INSERT ON wallet.wallets
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION wallet.count_wallets();

-- Adds to the counts of the owners of wallets.
CREATE FUNCTION wallet.add_to_counts(wallets uuid[], entries bigint[], sizes bigint[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO wallet.accounts AS accounts (account, credentials, bytes)
    SELECT owner.account, sum(change.entries), sum(change.size)
    FROM unnest(wallets, entries, sizes) AS change (wallet, entries, size)
    JOIN wallet.wallets AS owner ON owner.id = change.wallet
    WHERE owner.account IS NOT NULL
    GROUP BY owner.account ORDER BY owner.account
    ON CONFLICT (account) DO UPDATE
    SET credentials = accounts.credentials + excluded.credentials, bytes = accounts.bytes + excluded.bytes;
$$;

CREATE FUNCTION wallet.count_credentials() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        PERFORM wallet.add_to_counts(array_agg(wallet), array_agg(1::bigint), array_agg(octet_length(sealed)::bigint))
        FROM written;
    END IF;
    IF TG_OP IN ('DELETE', 'UPDATE') THEN
        PERFORM wallet.add_to_counts(array_agg(wallet), array_agg(-1::bigint), array_agg(-octet_length(sealed)::bigint))
        FROM replaced;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER count_inserted AFTER INSERT ON wallet.credentials
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION wallet.count_credentials();
CREATE TRIGGER count_updated AFTER UPDATE ON wallet.credentials
    REFERENCING NEW TABLE AS written OLD TABLE AS replaced FOR EACH STATEMENT EXECUTE FUNCTION wallet.count_credentials();
CREATE TRIGGER count_deleted AFTER DELETE ON wallet.credentials
    REFERENCING OLD TABLE AS replaced FOR EACH STATEMENT EXECUTE FUNCTION wallet.count_credentials();

-- For the backfill: the last account that it has counted, and the function that counts. A transaction that writes for
-- an account waits for the account's row. So a count that is taken while that row is locked misses nothing, and counts
-- nothing twice.
CREATE TABLE wallet.recounted (account uuid NOT NULL);
CREATE FUNCTION wallet.recount(size integer) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
    reached uuid := (SELECT account FROM wallet.recounted);
    owner uuid;
BEGIN
    FOR turn IN 1..size LOOP
        SELECT account INTO owner FROM wallet.wallets WHERE account > coalesce(reached, '00000000-0000-0000-0000-000000000000')
        ORDER BY account LIMIT 1;
        EXIT WHEN owner IS NULL;
        INSERT INTO wallet.accounts (account) VALUES (owner) ON CONFLICT DO NOTHING;
        PERFORM FROM wallet.accounts WHERE account = owner FOR UPDATE;
        UPDATE wallet.accounts SET (wallets, credentials, bytes) = (
            SELECT count(DISTINCT w.id), count(c.wallet), coalesce(sum(octet_length(c.sealed)), 0)
            FROM wallet.wallets AS w LEFT JOIN wallet.credentials AS c ON c.wallet = w.id WHERE w.account = owner)
        WHERE account = owner;
        reached := owner;
        RETURN NEXT owner;
    END LOOP;
    DELETE FROM wallet.recounted;
    INSERT INTO wallet.recounted SELECT reached WHERE reached IS NOT NULL;
END $$;
