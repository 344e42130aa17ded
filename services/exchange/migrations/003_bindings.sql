-- The keys of wallets that credentials of an offer were issued for: by the thumbprint of each (RFC 7638) the id of its
-- credential or, until that is issued, of the call that has bound the offer to the key. They are in the row of the offer, so
-- that one statement compares their number with what is offered.
ALTER TABLE exchange.offers ADD COLUMN bindings jsonb NOT NULL DEFAULT '{}';

-- Nothing that was released has used it.
DROP TABLE exchange.bindings;
