-- The Idempotency-Keys that calls were made with, until they expire. The columns are derived from the key and a pepper,
-- which is not in the database: no key, no request and no answer can be read here.
CREATE TABLE did.idempotency (
    -- identifies the account, the operation and the key
    scope_hash bytea PRIMARY KEY,
    -- identifies the request
    fingerprint bytea NOT NULL,
    -- a random id of the call
    id uuid NOT NULL,
    made_at timestamptz NOT NULL,
    -- the answer, sealed with a key that is derived from the Idempotency-Key
    sealed bytea
) WITH (autovacuum_vacuum_scale_factor = 0.05);
-- For the job that removes expired rows. The table is not partitioned by day, because its unique key would then contain
-- the day, and a call that is repeated after midnight would run twice.
CREATE INDEX idempotency_by_time ON did.idempotency USING brin (made_at) WITH (autosummarize = on);
