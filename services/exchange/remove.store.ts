import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { ERASED_ROWS } from '../../platform/postgres/prune.ts';

const goneRow = z.strictObject({ account: z.string() });

/** Removes the offers that expired more than a day ago. Returns how many. */
export async function removeExpired(db: Database): Promise<number> {
    for (let all = 0; ; ) {
        const removed = await db.transaction(async ({ rows }) => {
            const gone = await rows(sql.type(goneRow)`
                DELETE FROM exchange.offers WHERE id = ANY(ARRAY(
                    SELECT id FROM exchange.offers WHERE expires_at < now() - interval '1 day'
                    ORDER BY expires_at LIMIT ${ERASED_ROWS} FOR UPDATE SKIP LOCKED))
                RETURNING account`);
            const byAccount = Map.groupBy(gone, ({ account }) => account);
            const counts = Array.from(byAccount, ([account, { length }]) => [account, length]);
            // In one order, so that two runs do not deadlock.
            for (const [account, count] of counts.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))) {
                await rows(sql.unsafe`
                    UPDATE exchange.accounts SET offers = offers - ${count ?? 0} WHERE account = ${account ?? ''}`);
            }
            return gone.length;
        });
        all += removed;
        if (removed < ERASED_ROWS) return all;
    }
}
