-- An entry of some kilobytes stays in its row. By default, PostgreSQL moves one of more than 2 KB to a table beside it, and
-- writes, reads and removes each entry there once more. If a Citus refuses this for a schema that it has distributed, the
-- outbox works as before.
DO $$
BEGIN
    ALTER TABLE credentials.outbox SET (toast_tuple_target = 8160);
EXCEPTION WHEN feature_not_supported THEN
    RAISE NOTICE 'the outbox keeps large entries beside its rows';
END $$;
