import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import type { Entry } from '../../proto/gen/events/v1/events.ts';
import type { ErasureStep } from '../erasure.ts';
import { emptied, eventErasure } from './erase.store.ts';

const logRow = z.strictObject({
    last_seq: z.number(),
    count: z.number(),
    type: z.string(),
    happened_at: z.string(),
    /** JSON text of an array of EventData; null if the type is not asked for. */
    data: z.string().nullable(),
});
export type LogRow = z.infer<typeof logRow>;

export interface EventsQuery {
    account: string;
    after: number;
    /** Empty: all. */
    types: readonly string[];
    /** Maximum number of rows. Each has at least one event after `after`. */
    limit: number;
}

export interface EventsStore {
    /** Adds the events to the streams of their accounts. An entry that was appended before adds nothing. */
    append(entries: readonly Entry[], lifetime?: CallLifetime): Promise<void>;
    /** Returns rows with events after a number, in the order of their numbers. */
    list(query: EventsQuery, lifetime?: CallLifetime): Promise<readonly LogRow[]>;
    erasure: readonly ErasureStep[];
}

const TYPES = ['uuid', 'uuid', 'text', 'timestamptz', 'jsonb'];

export function eventsStore(db: Database): EventsStore {
    return {
        append: (entries, lifetime) => append(db, entries, lifetime),
        list({ account, after, types, limit }, lifetime) {
            const asked = types.length === 0 ? sql.fragment`true` : sql.fragment`type = ANY(${textArray(types)})`;
            const statement = sql.type(logRow)`
                SELECT last_seq, count, type, happened_at, CASE WHEN ${asked} THEN data::text END AS data
                FROM events.log WHERE account = ${account} AND last_seq > ${after} ORDER BY last_seq LIMIT ${limit}`;
            return db.rows(statement, 'events_list', lifetime);
        },
        erasure: eventErasure(db),
    };
}

/**
 * Numbers the events in the given order. The row of an account in `heads` stays locked until the commit, so its numbers are
 * committed in their order, and a reader never sees one without those before it. A call that appends the same entry at the
 * same time waits for this one, and then adds nothing. An event of an erased account is appended without its data.
 */
async function append(db: Database, entries: readonly Entry[], lifetime?: CallLifetime): Promise<void> {
    const ids = entries.map(({ entry_id }) => entry_id).sort();
    const statement = sql.unsafe`
        WITH entries AS (
            INSERT INTO events.entries (entry_id) SELECT unnest(${sql.array(ids, 'uuid')})
            ON CONFLICT DO NOTHING RETURNING entry_id
        ), new AS (
            SELECT sent.*, jsonb_array_length(data) AS count
            FROM ${sql.unnest(entries.flatMap(rowsOf), TYPES)} WITH ORDINALITY
                AS sent (entry_id, account, type, happened_at, data, position)
            JOIN entries USING (entry_id)
        ), counted AS (
            SELECT *, sum(count) OVER (PARTITION BY account) AS sum,
                   sum(count) OVER (PARTITION BY account ORDER BY position) AS sum_so_far
            FROM new
        ), heads AS (
            INSERT INTO events.heads AS heads (account, seq)
            SELECT account, sum(count) FROM new GROUP BY account ORDER BY account
            ON CONFLICT (account) DO UPDATE SET seq = heads.seq + excluded.seq
            RETURNING account, seq, emptied_to
        )
        INSERT INTO events.log (account, last_seq, count, type, happened_at, data)
        SELECT account, seq - sum + sum_so_far, count, type, happened_at,
               CASE WHEN emptied_to IS NULL THEN data ELSE ${emptied(sql.fragment`count`)} END
        FROM counted JOIN heads USING (account)`;
    await db.rows(statement, 'events_append', lifetime);
}

/** The rows of an entry: one for each account. */
function rowsOf({ entry_id, type, timestamp, events }: Entry) {
    const byAccount = Map.groupBy(events, ({ account }) => account);
    return Array.from(byAccount, ([account, own]) => {
        const data = JSON.stringify(own.map((event) => event.data));
        return [entry_id, account, type, timestamp, data];
    });
}

function textArray(texts: readonly string[]) {
    return sql.array([...texts], 'text');
}
