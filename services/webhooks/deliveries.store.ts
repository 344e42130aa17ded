import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { FIRST_ID, LAST_ID } from '../account-pages.store.ts';
import { type DeliveryRow, deliveryRow, type NewDelivery } from './rows.ts';

const waitingRow = z.strictObject({ waiting: z.number() });

export interface DeliveriesStore {
    /** Returns deliveries to a webhook below the id `before`, newest first. */
    listDeliveries(
        page: { webhook: string; state: string | undefined; before: string | undefined; limit: number },
        lifetime: CallLifetime,
    ): Promise<readonly DeliveryRow[]>;
}

export function deliveriesStore(db: Database): DeliveriesStore {
    return {
        listDeliveries({ webhook, state, before = LAST_ID, limit }, lifetime) {
            const inState = state === undefined ? sql.fragment`` : sql.fragment`AND state = ${state}`;
            const statement = sql.type(deliveryRow)`
                SELECT id, event_id, type, state, attempts, created_at, last_attempt_at, due_at, status, reason
                FROM webhooks.deliveries
                WHERE (endpoint, id) > (${webhook}, ${FIRST_ID}) AND (endpoint, id) < (${webhook}, ${before}) ${inState}
                ORDER BY endpoint DESC, id DESC LIMIT ${limit}`;
            return db.rows(statement, 'webhook_deliveries', lifetime);
        },
    };
}

/** Number of deliveries to a webhook that wait for an attempt. */
export async function countWaiting({ rows }: Queries, webhook: string): Promise<number> {
    const [row] = await rows(sql.type(waitingRow)`
        SELECT count(*) AS waiting FROM webhooks.deliveries WHERE endpoint = ${webhook} AND state = 'waiting'`);
    return row?.waiting ?? 0;
}

const TYPES = ['uuid', 'text', 'text', 'text'];

/** Adds deliveries to a webhook, in the transaction that has locked it. */
export async function appendDeliveries(
    { rows }: Queries,
    { webhook, deliveries, now }: { webhook: string; deliveries: readonly NewDelivery[]; now: string },
): Promise<void> {
    const values = deliveries.map(({ id, event_id, type, body }) => [id, event_id, type, body]);
    await rows(sql.unsafe`
        INSERT INTO webhooks.deliveries (id, endpoint, event_id, type, body, state, created_at, due_at)
        SELECT id, ${webhook}::uuid, event_id, type, body, 'waiting', ${now}::timestamptz, ${now}::timestamptz
        FROM ${sql.unnest(values, TYPES)} AS new (id, event_id, type, body)`);
}
