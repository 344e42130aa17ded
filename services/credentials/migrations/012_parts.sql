-- Credentials may be divided over several databases (services/credentials/parts).

-- Which part this database is. Without a row, the credentials are not divided.
CREATE TABLE credentials.part (
    -- there is one row
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    -- the same in all parts of a service
    set_id uuid NOT NULL,
    part int NOT NULL
);

-- In part 0: the numbers of parts that there have been.
CREATE TABLE credentials.part_counts (
    count int PRIMARY KEY,
    -- NULL: there were no credentials before
    since timestamptz
);
