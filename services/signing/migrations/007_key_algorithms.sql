-- What a key signs with. An issuer signs with one key for each algorithm. The new index takes the place of the old one first,
-- so programs of the previous release, whose keys all are of EdDSA, never run without it.
ALTER TABLE signing.keys ADD COLUMN alg text NOT NULL DEFAULT 'EdDSA' CHECK (alg IN ('EdDSA', 'ES256'));
CREATE UNIQUE INDEX keys_active_by_alg ON signing.keys (issuer, alg) WHERE retired_at IS NULL AND compromised_at IS NULL;
DROP INDEX signing.keys_active;
