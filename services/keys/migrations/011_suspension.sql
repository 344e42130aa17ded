-- Whether the account is suspended: its keys then do not work. Identity decides, and keeps when and why.
ALTER TABLE keys.accounts
    ADD COLUMN suspended boolean NOT NULL DEFAULT false,
    -- identity.users.suspension_version of the change that was applied last
    ADD COLUMN suspension_version integer NOT NULL DEFAULT 0;
