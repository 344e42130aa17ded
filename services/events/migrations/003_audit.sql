-- The place of a row in the tree of the audit, and the SHA-256 of its data, which stays when the data is emptied.
ALTER TABLE events.log ADD COLUMN leaf bigint, ADD COLUMN data_sha256 bytea;

-- The head of the tree. Whoever appends locks this row, so the leaves are committed in their order.
CREATE TABLE events.tree (
    id boolean PRIMARY KEY DEFAULT true CHECK (id),
    -- number of leaves, and the roots of its largest complete subtrees
    size bigint NOT NULL,
    edge bytea NOT NULL,
    -- the size of the last checkpoint
    checkpoint bigint NOT NULL,
    -- the leaves before this one are pruned. It is the size of a checkpoint that is kept, or 0.
    start bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO events.tree (size, edge, checkpoint, start) VALUES (0, '', 0, 0);

-- The last leaf of each transaction that appended rows.
CREATE TABLE events.seals (
    leaf bigint PRIMARY KEY,
    -- of the tree that ends with this leaf
    root bytea NOT NULL,
    checkpoint bigint NOT NULL,
    sealed_at timestamptz NOT NULL
);

-- The signed heads of the tree.
CREATE TABLE events.checkpoints (
    size bigint PRIMARY KEY,
    edge bytea NOT NULL,
    note text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);
