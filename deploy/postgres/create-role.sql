-- Run once, by the image of PostgreSQL when it makes its data: the service's role owns its database, and is no superuser.
\set password `[ -n "$CREDENTIALS_PASSWORD" ] && printf %s "$CREDENTIALS_PASSWORD" || cat /run/secrets/database/password`
CREATE ROLE credentials LOGIN PASSWORD :'password';
CREATE DATABASE credentials OWNER credentials;
