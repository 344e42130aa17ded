import { type Database, sql } from '../../platform/postgres/db.ts';
import { erasedCount, erasedRows, leftNone } from '../../platform/postgres/prune.ts';
import type { ErasureStep } from '../erasure.ts';
import { claimErasure } from '../idempotency/erase.store.ts';

/** The steps that erase an account. The first one stops its webhooks. */
export function webhooksErasure(db: Database): readonly ErasureStep[] {
    return [
        async (account) => {
            await db.rows(sql.unsafe`
                UPDATE webhooks.endpoints SET state = 'deleted', description = NULL
                WHERE account = ${account} AND state <> 'deleted'`);
            return true;
        },
        async (account) => {
            const own = sql.fragment`
                endpoint = ANY(ARRAY(SELECT id FROM webhooks.endpoints WHERE account = ${account}))`;
            return leftNone(await db.rows(deliveriesErased(own)));
        },
        async (account) => {
            const endpoints = erasedRows(
                { table: ['webhooks', 'endpoints'], key: 'id' },
                sql.fragment`account = ${account}`,
            );
            return leftNone(
                await db.rows(sql.type(erasedCount)`
                    WITH erased AS (${endpoints} RETURNING 1) SELECT count(*) AS erased FROM erased`),
            );
        },
        claimErasure('webhooks', db),
        async (account) => {
            await db.rows(sql.unsafe`DELETE FROM webhooks.accounts WHERE account = ${account}`);
            return true;
        },
    ];
}

/** Removes up to 1,000 deliveries that meet a condition. */
export function deliveriesErased(condition: ReturnType<typeof sql.fragment>) {
    return sql.type(erasedCount)`
        WITH erased AS (${erasedRows({ table: ['webhooks', 'deliveries'], key: 'id' }, condition)} RETURNING 1)
        SELECT count(*) AS erased FROM erased`;
}
