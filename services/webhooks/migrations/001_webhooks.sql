-- The endpoints of accounts that events are sent to, and what each of them has got.
CREATE TABLE webhooks.endpoints (
    id uuid PRIMARY KEY,
    account uuid NOT NULL,
    url text NOT NULL,
    -- empty: all
    types text[] NOT NULL,
    description text,
    -- `deleted`: a job removes its deliveries, and then the row
    state text NOT NULL CHECK (state IN ('active', 'paused', 'disabled', 'deleted')),
    created_at timestamptz NOT NULL,
    -- the number of the last event of the account that has become a delivery or was passed
    cursor bigint NOT NULL,
    -- whether there are events after the cursor for which there was no room
    behind boolean NOT NULL DEFAULT false,
    -- the first failure since the last success, and how many there were
    failing_since timestamptz,
    failures int NOT NULL DEFAULT 0,
    -- nothing is sent before this time
    not_before timestamptz,
    -- when there is something to do; NULL if there is nothing
    due_at timestamptz,
    -- how often something has set due_at from outside of the process that has the lease
    wakes bigint NOT NULL DEFAULT 0,
    -- the process that sends to it, and until when no other one does
    lease uuid,
    leased_until timestamptz,
    -- the events that are sent again: those after and up to these numbers, from and before these times
    replay_after bigint,
    replay_until bigint,
    replay_from timestamptz,
    replay_to timestamptz
) WITH (fillfactor = 70);
-- For the lists of an account, newest first.
CREATE INDEX endpoints_by_account ON webhooks.endpoints (account, id);
-- Finds the endpoints for which there is something to do.
CREATE INDEX endpoints_due ON webhooks.endpoints (due_at) WHERE state = 'active';
-- Finds those that are not active.
CREATE INDEX endpoints_inactive ON webhooks.endpoints (state, id) WHERE state <> 'active';

CREATE TABLE webhooks.deliveries (
    id uuid PRIMARY KEY,
    endpoint uuid NOT NULL,
    event_id text NOT NULL,
    type text NOT NULL,
    -- what is sent; empty when nothing more will be
    body text NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    attempts int NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    began_at timestamptz,
    last_attempt_at timestamptz,
    -- when the next attempt is due; NULL if there is none
    due_at timestamptz,
    -- when it was delivered or given up
    finished_at timestamptz,
    -- the status of the last answer, and why the last attempt has failed
    status int,
    reason text
);
-- For the list of an endpoint, newest first.
CREATE INDEX deliveries_by_endpoint ON webhooks.deliveries (endpoint, id);
-- Finds what is due.
CREATE INDEX deliveries_waiting ON webhooks.deliveries (endpoint, due_at) WHERE state = 'waiting';
CREATE INDEX deliveries_failed ON webhooks.deliveries (endpoint, id) WHERE state = 'failed';
-- Finds the old ones that are removed.
CREATE INDEX deliveries_by_age ON webhooks.deliveries (finished_at) WHERE finished_at IS NOT NULL;

-- The number of endpoints of each account. Its row is locked while one is created, so that concurrent calls cannot exceed
-- the quota.
CREATE TABLE webhooks.accounts (
    account uuid PRIMARY KEY,
    endpoints bigint NOT NULL DEFAULT 0
);

-- The Idempotency-Keys that calls were made with, until they expire. The columns are derived from the key and a pepper,
-- which is not in the database: no key, no request and no answer can be read here.
CREATE TABLE webhooks.idempotency (
    -- identifies the account, the operation and the key
    scope_hash bytea PRIMARY KEY,
    -- identifies the request
    fingerprint bytea NOT NULL,
    -- the id of what the call has created
    id uuid NOT NULL,
    made_at timestamptz NOT NULL,
    -- the answer, sealed with a key that is derived from the Idempotency-Key
    sealed bytea,
    -- the account that has made the claim
    claimant uuid
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX idempotency_by_age ON webhooks.idempotency (made_at);
CREATE INDEX idempotency_by_claimant ON webhooks.idempotency (claimant) WHERE claimant IS NOT NULL;

-- Events that the statements of this service have written, until the events service has them (services/outbox).
CREATE TABLE webhooks.outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- a UUIDv7, so that the entries of the stream are recorded in their order
    entry_id uuid NOT NULL DEFAULT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0')
        || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
    type text NOT NULL,
    happened_at timestamptz NOT NULL DEFAULT now(),
    -- an array with one object for each event, which names its account
    data jsonb NOT NULL
);
