-- Events that the statements of this service have written, until the events service has them (services/outbox).
CREATE TABLE identity.outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    entry_id uuid NOT NULL DEFAULT gen_random_uuid(),
    account uuid NOT NULL,
    type text NOT NULL,
    happened_at timestamptz NOT NULL DEFAULT now(),
    -- an array with one object for each event
    data jsonb NOT NULL
);
