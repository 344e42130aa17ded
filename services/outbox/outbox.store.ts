import { z } from 'zod';
import { newId } from '../../platform/ids.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import type { EventType } from '../../proto/event-types.ts';
import type { EventData } from '../../proto/gen/events/v1/events.ts';
import type { Cause, Causes } from './cause.ts';
import { type IssuedEvent, packedEvents } from './issued-events.ts';

/**
 * A transactional outbox: the statement that changes something also appends its event to the table `outbox` of its own
 * schema, so that either both are committed or none. A job passes the entries on to the events service (relay.ts).
 *
 * An entry has all events that one statement writes, each with its account. A statement that issues 64 credentials then
 * costs one more row, not 64. What has caused the events is a text beside them, which PostgreSQL does not look into. The
 * service makes the id of an entry: the default of that column takes PostgreSQL about as long as the rest of the entry.
 */

/** The services whose changes are events. */
export const PUBLISHERS = ['identity', 'keys', 'signing', 'credentials', 'wallet', 'webhooks', 'exchange'] as const;
export type Publisher = (typeof PUBLISHERS)[number];

/** Number of events in an entry of one account. Beyond it: the account's further events are another entry. */
const MOST_EVENTS = 1_000;

/** The type of the events that are written as issued-events.ts says. */
export const ISSUED = 'credential.issued' satisfies EventType;

function outboxOf(service: Publisher) {
    return sql.identifier([service, 'outbox']);
}

/**
 * Returns the end of a statement whose CTE `written` has the changed rows, with a column `account`. It appends an event for
 * each row that has an account. Use it in one statement only: it contains the id of the entry. `data`: the fields of EventData
 * as names and values in SQL, for jsonb_build_object.
 */
export function appendEvents(
    service: Publisher,
    type: Exclude<EventType, typeof ISSUED>,
    { data, causes }: { data: ReturnType<typeof sql.fragment>; causes: Causes },
) {
    return sql.fragment`
        INSERT INTO ${outboxOf(service)} (entry_id, type, causes, data)
        SELECT ${newId()}::uuid, ${type}, ${JSON.stringify(causes)},
               jsonb_agg(jsonb_build_object('account', account, ${data})) FROM written
        WHERE account IS NOT NULL HAVING count(*) > 0`;
}

/**
 * Like appendEvents, for the events of issued credentials: those of the rows in `written` are published. The column `causes`
 * has all events (issued-events.ts), and `data` the ids of these rows, or "all" if all events are of such rows.
 */
export function appendIssuedEvents(events: readonly IssuedEvent[]) {
    return sql.fragment`
        INSERT INTO ${outboxOf('credentials')} (entry_id, type, causes, data)
        SELECT ${newId()}::uuid, ${ISSUED}, ${packedEvents(events)},
               CASE WHEN count(*) = ${events.length} THEN '"all"' ELSE to_jsonb(array_agg(id)) END
        FROM written WHERE account IS NOT NULL HAVING count(*) > 0`;
}

/** Appends events of one account in a transaction: one for each item of `data`. */
export async function appendOwnEvents(
    { rows }: Queries,
    service: Publisher,
    {
        account,
        type,
        data,
        cause,
    }: {
        account: string;
        type: Exclude<EventType, typeof ISSUED>;
        data: ReadonlyArray<Partial<EventData>>;
        cause: Cause;
    },
): Promise<void> {
    for (let from = 0; from < data.length; from += MOST_EVENTS) {
        const events = data.slice(from, from + MOST_EVENTS).map((item) => ({ account, ...item }));
        await rows(sql.unsafe`
            INSERT INTO ${outboxOf(service)} (entry_id, type, causes, data)
            VALUES (${newId()}, ${type}, ${JSON.stringify(cause)}, ${JSON.stringify(events)}::jsonb)`);
    }
}

const entryRow = z.strictObject({
    id: z.number(),
    entry_id: z.string(),
    type: z.string(),
    happened_at: z.string(),
    /** JSON text of Causes or, of ISSUED, of all events. Null: an earlier release has written the entry. */
    causes: z.string().nullable(),
    /** JSON text of an array of EventData, each with its account or, of ISSUED, of the ids of the written rows or "all". */
    data: z.string(),
});
export type OutboxEntry = z.infer<typeof entryRow>;

const idRow = z.strictObject({ id: z.number() });

/** Whether there are entries. Prepared, because it is asked every second, and planning takes most of its time. */
export async function hasEntries(db: Database, service: Publisher): Promise<boolean> {
    // By the index: EXISTS could read the whole table, in which entries that are gone stay until it is vacuumed.
    const statement = sql.type(idRow)`SELECT id FROM ${outboxOf(service)} ORDER BY id LIMIT 1`;
    return (await db.prepared(`${service}_outbox_has_entries`, statement)).length > 0;
}

/** Returns the entries that were written first. */
export function oldestEntries(db: Database, service: Publisher, limit: number): Promise<readonly OutboxEntry[]> {
    return db.rows(sql.type(entryRow)`
        SELECT id, entry_id, type, date_trunc('milliseconds', happened_at) AS happened_at, causes, data::text AS data
        FROM ${outboxOf(service)} ORDER BY id LIMIT ${limit}`);
}

export async function removeEntries(db: Database, service: Publisher, ids: readonly number[]): Promise<void> {
    await db.rows(sql.unsafe`DELETE FROM ${outboxOf(service)} WHERE id = ANY(${sql.array([...ids], 'int8')})`);
}

const ageRow = z.strictObject({ age_ms: z.number().nullable() });

/** How long the oldest entry has waited, in milliseconds; 0 if none waits. */
export async function oldestAge(db: Database, service: Publisher): Promise<number> {
    const [row] = await db.rows(sql.type(ageRow)`
        SELECT (extract(epoch FROM clock_timestamp() - min(happened_at)) * 1000)::bigint AS age_ms
        FROM (SELECT happened_at FROM ${outboxOf(service)} ORDER BY id LIMIT 1) AS oldest`);
    return Math.max(0, row?.age_ms ?? 0);
}
