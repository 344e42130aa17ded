-- The accounts that are erased. A row stays, so that an account that was once erased is known.
CREATE TABLE identity.erasures (
    account uuid PRIMARY KEY,
    requested_at timestamptz NOT NULL,
    -- NULL: the job still removes what the services store about the account
    finished_at timestamptz
);
CREATE INDEX erasures_unfinished ON identity.erasures (requested_at) WHERE finished_at IS NULL;
