-- Only a database that was set up between two releases has this index. No released program reads it.
DROP INDEX IF EXISTS credentials.credentials_by_account;
