import { z } from 'zod';
import { LONGEST_OF_ACCOUNT_MS } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { leftNone, pruneByTime } from '../../platform/postgres/prune.ts';
import { deliveriesErased } from './erase.store.ts';

/** For how long deliveries that have ended are listed, in days. Beyond it: a daily job removes them. */
const DAYS_KEPT = 30;
/** Number of deleted webhooks that one run removes. Beyond it: the next run removes the rest. */
const RUN_ENDPOINTS = 100;
/**
 * How long one run repeats the statement that removes deliveries, in milliseconds. So webhooks with many deliveries do not
 * keep other jobs waiting. Beyond it: each further webhook gets one statement, and the next run goes on.
 */
const RUN_MS = 1_000;

/**
 * For how long a reserved webhook may become active, in seconds: twice as long as the call takes that creates it. Beyond
 * it: it is removed.
 */
const RESERVED_SECONDS = (2 * LONGEST_OF_ACCOUNT_MS) / 1_000;

/** Webhooks that nobody has. For RESERVED_SECONDS, the call that has reserved one may still make it active. */
const GONE = sql.fragment`state IN ('reserved', 'deleted')`;

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

/**
 * Removes webhooks that were deleted, or never became active, with their deliveries. `forget` destroys their secrets.
 * `runMs`: RUN_MS by default.
 */
export async function removeDeleted(
    db: Database,
    forget: (webhook: z.infer<typeof goneRow>) => Promise<unknown>,
    runMs = RUN_MS,
): Promise<void> {
    const until = performance.now() + runMs;
    const gone = await db.rows(sql.type(goneRow)`
        SELECT id, account FROM webhooks.endpoints
        WHERE ${GONE} AND created_at < now() - make_interval(secs => ${RESERVED_SECONDS})
        ORDER BY id LIMIT ${RUN_ENDPOINTS}`);
    for (const webhook of gone) {
        if (!(await deliveriesRemoved(db, webhook.id, until))) continue;
        await forget(webhook);
        await db.rows(sql.unsafe`DELETE FROM webhooks.endpoints WHERE id = ${webhook.id} AND ${GONE}`);
    }
}

/** Removes the deliveries of a webhook until a time. Returns whether none is left. */
async function deliveriesRemoved(db: Database, id: string, until: number): Promise<boolean> {
    for (;;) {
        if (leftNone(await db.rows(deliveriesErased(sql.fragment`endpoint = ${id}`)))) return true;
        if (performance.now() >= until) return false;
    }
}
