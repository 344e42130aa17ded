-- The secrets with which the service signs what it sends to webhooks. The data key of the account seals each of them.
CREATE TABLE signing.webhook_secrets (
    id uuid PRIMARY KEY,
    webhook uuid NOT NULL,
    account uuid NOT NULL,
    sealed bytea NOT NULL,
    data_key uuid NOT NULL REFERENCES signing.data_keys,
    created_at timestamptz NOT NULL,
    -- Until when it signs beside its successor; NULL for the current one.
    ends_at timestamptz
);
CREATE INDEX webhook_secrets_by_webhook ON signing.webhook_secrets (webhook);
CREATE INDEX webhook_secrets_by_account ON signing.webhook_secrets (account);
-- Finds the secrets that a data key seals.
CREATE INDEX webhook_secrets_by_data_key ON signing.webhook_secrets (data_key, id);
