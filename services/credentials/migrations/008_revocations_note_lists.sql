-- The statement that revokes notes the lists of the credentials itself. While programs of the previous release run beside
-- this one, what they revoke is published with the next revocation on the list, or when the list is signed again.
DROP TRIGGER note_status_change ON credentials.credentials;
DROP FUNCTION credentials.note_status_change;
