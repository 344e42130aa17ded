-- A did:web issuer has lists of its own, for credentials in the form that other makers' wallets take: they want the list
-- and the credential from one issuer. The service, a did:key, still has one open list, and each issuer has one.
CREATE UNIQUE INDEX status_lists_open_of_service ON credentials.status_lists (public_url)
WHERE taken < 1048576 AND issuer_did LIKE 'did:key:%';
CREATE UNIQUE INDEX status_lists_open_of_issuer ON credentials.status_lists (public_url, issuer_did) WHERE taken < 1048576;
DROP INDEX credentials.status_lists_open;
