-- Who has deleted the account. NULL: that was an earlier release.
ALTER TABLE identity.erasures ADD COLUMN actor text;
