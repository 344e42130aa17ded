-- The key of the issuer that signed the list; NULL for a list of the service.
ALTER TABLE credentials.status_publications ADD COLUMN kid text;
