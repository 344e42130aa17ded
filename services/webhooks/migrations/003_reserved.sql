-- `reserved`: it does not exist yet, because it has no secret. If it gets none, a job removes it like a deleted one.
ALTER TABLE webhooks.endpoints
    DROP CONSTRAINT endpoints_state_check,
    ADD CONSTRAINT endpoints_state_check
        CHECK (state IN ('reserved', 'active', 'paused', 'disabled', 'deleted')) NOT VALID;
