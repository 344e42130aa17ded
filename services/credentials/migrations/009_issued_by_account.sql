-- A page of a list of another account's DID, with what the caller has issued itself, is one range of one of these
-- indexes. They have a digest, because a DID may be long. DIDs are ASCII without backslashes, so `::bytea` takes their
-- characters as they are. If the table is large, an operator creates the indexes by hand before the upgrade
-- (docs/operations/deploy.md, Migrations).
CREATE INDEX IF NOT EXISTS credentials_by_account_and_issuer
    ON credentials.credentials (account, sha256(issuer::bytea), id);
CREATE INDEX IF NOT EXISTS credentials_by_account_and_subject
    ON credentials.credentials (account, sha256(subject::bytea), id);
