-- When the keys, the sessions and the row of the account had ended. NULL: the erasure is decided, and the account still works.
ALTER TABLE identity.erasures ADD COLUMN ended_at timestamptz;
