-- Finds the offers for a person who is erased: derived from the DID of the subject and a pepper. NULL if the offer names none.
ALTER TABLE exchange.offers ADD COLUMN subject_hash bytea;
CREATE INDEX offers_by_subject ON exchange.offers (subject_hash) WHERE subject_hash IS NOT NULL;
