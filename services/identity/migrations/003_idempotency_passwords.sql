-- The fingerprints of claims no longer contain a password (services/identity/same-password.ts). The earlier ones do,
-- and a fast hash of a password must not be kept. A call that is repeated after this gets 409, as without a key.
TRUNCATE identity.idempotency;
