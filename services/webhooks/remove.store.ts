import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { leftNone, pruneByTime } from '../../platform/postgres/prune.ts';
import { deliveriesErased } from './erase.store.ts';

/** For how long deliveries that have ended are listed, in days. Beyond it: a daily job removes them. */
const DAYS_KEPT = 30;
/** Number of deleted endpoints that one run removes. Beyond it: the next run removes the rest. */
const RUN_ENDPOINTS = 100;

const goneRow = z.strictObject({ id: z.string(), account: z.string() });

/** Removes old deliveries. Returns how many. */
export function pruneDeliveries(db: Database): Promise<number> {
    return pruneByTime(db, {
        table: ['webhooks', 'deliveries'],
        key: 'id',
        time: 'finished_at',
        before: sql.fragment`now() - make_interval(days => ${DAYS_KEPT})`,
    });
}

/** Removes deleted endpoints with their deliveries. `forget` destroys their secrets. */
export async function removeDeleted(
    db: Database,
    forget: (endpoint: z.infer<typeof goneRow>) => Promise<unknown>,
): Promise<void> {
    const gone = await db.rows(sql.type(goneRow)`
        SELECT id, account FROM webhooks.endpoints WHERE state = 'deleted' ORDER BY id LIMIT ${RUN_ENDPOINTS}`);
    for (const endpoint of gone) {
        while (!leftNone(await db.rows(deliveriesErased(sql.fragment`endpoint = ${endpoint.id}`))));
        await forget(endpoint);
        await db.rows(sql.unsafe`DELETE FROM webhooks.endpoints WHERE id = ${endpoint.id} AND state = 'deleted'`);
    }
}
