import { sql } from '../../platform/postgres/db.ts';

/** Ids that are smaller and greater than the id of any row. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The columns of a ListedRow. */
export const LISTED_COLUMNS = sql.fragment`
    id, account, issued_at, expires_at, revoked_at IS NOT NULL AS revoked, issuer, subject, credential_type`;
