import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, refusalCode, sql } from '../../platform/postgres/db.ts';
import type { Entry } from '../../proto/gen/events/v1/events.ts';

const logRow = z.strictObject({
    last_seq: z.number(),
    count: z.number(),
    entry_id: z.string(),
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
}

/** SQLSTATE of a row whose key exists. */
const UNIQUE_VIOLATION = '23505';

const TYPES = ['uuid', 'uuid', 'text', 'timestamptz', 'jsonb'];

export function eventsStore(db: Database): EventsStore {
    return {
        append: (entries, lifetime) =>
            append(db, entries, lifetime).catch((error) => {
                // Another call was appending the same entry. It has committed, so this call finds the entry now.
                if (refusalCode(error) !== UNIQUE_VIOLATION) throw error;
                return append(db, entries, lifetime);
            }),
        list({ account, after, types, limit }, lifetime) {
            const asked = types.length === 0 ? sql.fragment`true` : sql.fragment`type = ANY(${textArray(types)})`;
            const statement = sql.type(logRow)`
                SELECT last_seq, count, entry_id, type, happened_at, CASE WHEN ${asked} THEN data::text END AS data
                FROM events.log WHERE account = ${account} AND last_seq > ${after} ORDER BY last_seq LIMIT ${limit}`;
            return db.rows(statement, 'events_list', lifetime);
        },
    };
}

/**
 * Numbers the events in the given order. The row of an account in `heads` stays locked until the commit, so its numbers are
 * committed in their order, and a reader never sees one without those before it.
 */
async function append(db: Database, entries: readonly Entry[], lifetime?: CallLifetime): Promise<void> {
    const tuples = entries.map(({ entry_id, account, type, timestamp, data }) => [
        entry_id,
        account,
        type,
        timestamp,
        JSON.stringify(data),
    ]);
    const statement = sql.unsafe`
        WITH new AS (
            SELECT *, jsonb_array_length(data) AS count
            FROM ${sql.unnest(tuples, TYPES)} WITH ORDINALITY
                AS sent (entry_id, account, type, happened_at, data, position)
            WHERE NOT EXISTS (SELECT FROM events.log WHERE log.entry_id = sent.entry_id)
        ), counted AS (
            SELECT *, sum(count) OVER (PARTITION BY account) AS sum,
                   sum(count) OVER (PARTITION BY account ORDER BY position) AS sum_so_far
            FROM new
        ), heads AS (
            INSERT INTO events.heads AS heads (account, seq)
            SELECT account, sum(count) FROM new GROUP BY account ORDER BY account
            ON CONFLICT (account) DO UPDATE SET seq = heads.seq + excluded.seq
            RETURNING account, seq
        )
        INSERT INTO events.log (account, last_seq, count, entry_id, type, happened_at, data)
        SELECT account, seq - sum + sum_so_far, count, entry_id, type, happened_at, data
        FROM counted JOIN heads USING (account)`;
    await db.rows(statement, 'events_append', lifetime);
}

function textArray(texts: readonly string[]) {
    return sql.array([...texts], 'text');
}
