ALTER TABLE webhooks.endpoints VALIDATE CONSTRAINT endpoints_state_check;
