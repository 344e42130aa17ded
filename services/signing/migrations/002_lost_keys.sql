-- When the data key was given up, because nothing unwraps it any more. Its row stays, because keys that still verify name it.
ALTER TABLE signing.data_keys ADD COLUMN abandoned_at timestamptz;
-- Tells which key-encryption keys the data keys need.
CREATE INDEX data_keys_by_kek ON signing.data_keys (kek, id) WHERE abandoned_at IS NULL;
-- Finds the keys that a data key seals.
CREATE INDEX keys_by_data_key ON signing.keys (data_key, kid);
-- The service has one issuer of its own that signs. Earlier ones are archived, because their keys were lost.
DROP INDEX signing.issuers_own;
CREATE UNIQUE INDEX issuers_own ON signing.issuers ((true)) WHERE account IS NULL AND archived_at IS NULL;
