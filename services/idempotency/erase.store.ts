import { type Database, sql } from '../../platform/postgres/db.ts';
import { erasedCount, erasedRows, leftNone } from '../../platform/postgres/prune.ts';
import type { Owner } from './claims.store.ts';

/** The step that erases the claims of an account in the schema of a service (services/erasure.ts). */
export function claimErasure(owner: Owner, db: Database): (account: string) => Promise<boolean> {
    return async (account) => {
        const claims = erasedRows(
            { table: [owner, 'idempotency'], key: 'scope_hash' },
            sql.fragment`claimant = ${account}`,
        );
        return leftNone(
            await db.rows(sql.type(erasedCount)`
                WITH erased AS (${claims} RETURNING 1) SELECT count(*) AS erased FROM erased`),
        );
    };
}
