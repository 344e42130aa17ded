-- The last checkpoint of the audit that was signed: the log may only have grown since.
CREATE TABLE signing.checkpoint (
    id boolean PRIMARY KEY DEFAULT true CHECK (id),
    size bigint NOT NULL,
    -- the roots of the largest complete subtrees
    edge bytea NOT NULL,
    note text NOT NULL
);
