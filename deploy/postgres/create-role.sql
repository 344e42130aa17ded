-- The PostgreSQL image runs this script once, when it initializes its data. The role of the service owns its database
-- and is not a superuser.
\set password `[ -n "$CREDENTIALS_PASSWORD" ] && printf %s "$CREDENTIALS_PASSWORD" || cat /run/secrets/database/password`
CREATE ROLE credentials LOGIN PASSWORD :'password';
CREATE DATABASE credentials OWNER credentials;
