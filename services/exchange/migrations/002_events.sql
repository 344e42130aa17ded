-- The session that has made the offer, if it was not an API key: the audit names it.
ALTER TABLE exchange.offers ADD COLUMN session uuid;

-- Events that the statements of this service have written, until the events service has them (services/outbox).
CREATE TABLE exchange.outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- a UUIDv7, so that the entries of the stream are recorded in their order
    entry_id uuid NOT NULL DEFAULT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0')
        || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
    type text NOT NULL,
    happened_at timestamptz NOT NULL DEFAULT now(),
    -- what has caused the events: JSON, which PostgreSQL does not look into
    causes text,
    -- an array with one object for each event, which names its account
    data jsonb NOT NULL
);
