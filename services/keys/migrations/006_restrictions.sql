-- When and where a key may be used, and for what. Programs of the previous release neither write nor enforce these
-- columns; platform/access/README.md says why that is safe.
ALTER TABLE keys.keys
    ADD COLUMN expires_at timestamptz,
    -- null: for everything
    ADD COLUMN scopes text[],
    -- null: from everywhere
    ADD COLUMN allowed cidr[],
    ADD COLUMN replaced_by uuid,
    -- grows with each change of the columns above
    ADD COLUMN version integer NOT NULL DEFAULT 0,
    -- whether the key, while it is not revoked, is one of the account's active keys (keys.accounts)
    ADD COLUMN counted boolean NOT NULL DEFAULT true;
