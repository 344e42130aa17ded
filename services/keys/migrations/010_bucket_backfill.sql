-- Keys that rotations have made count in the window of the first key of their chain. Only these rows change.
WITH RECURSIVE chain AS (
    SELECT replaced_by AS key_id, key_id AS first FROM keys.keys AS key
    WHERE replaced_by IS NOT NULL AND NOT EXISTS (SELECT FROM keys.keys WHERE replaced_by = key.key_id)
    UNION ALL
    SELECT key.replaced_by, chain.first FROM chain JOIN keys.keys AS key USING (key_id) WHERE key.replaced_by IS NOT NULL
)
UPDATE keys.keys SET bucket = chain.first FROM chain WHERE keys.key_id = chain.key_id;
