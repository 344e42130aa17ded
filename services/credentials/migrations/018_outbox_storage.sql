-- The texts in the outbox are read once, a second later: to compress them costs more than to store them. A Citus cannot
-- change this for schemas that it has distributed; they keep compressing.
DO $$
BEGIN
    ALTER TABLE credentials.outbox ALTER COLUMN causes SET STORAGE EXTERNAL, ALTER COLUMN data SET STORAGE EXTERNAL;
EXCEPTION WHEN feature_not_supported THEN
    RAISE NOTICE 'the outbox keeps compressing its texts';
END $$;
