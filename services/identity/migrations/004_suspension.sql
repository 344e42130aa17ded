-- An account that an operator has suspended keeps everything, but its sessions and API keys do not work.
ALTER TABLE identity.users
    -- null: the account is not suspended
    ADD COLUMN suspended_at timestamptz,
    ADD COLUMN suspension_reason text,
    -- Grows with each suspension and restoration. It is the version of the account's sessions
    -- (platform/access/README.md), and the keys service applies only the latest change that it has heard of.
    ADD COLUMN suspension_version integer NOT NULL DEFAULT 0;
