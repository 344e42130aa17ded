import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import type { Entry } from '../../proto/gen/events/v1/events.ts';
import type { ErasureStep } from '../erasure.ts';
import { emptied, eventErasure } from './erase.store.ts';
import { gathered, ROW_EVENTS } from './gathered.ts';

const logRow = z.strictObject({
    last_seq: z.number(),
    count: z.number(),
    type: z.string(),
    happened_at: z.string(),
    /** JSON text of an array of StoredEvent; null if the type is not asked for. */
    data: z.string().nullable(),
});
const headRow = z.strictObject({ account: z.string(), seq: z.number() });
export type LogRow = z.infer<typeof logRow>;

export interface EventsQuery {
    account: string;
    after: number;
    /** Empty: all. */
    types: readonly string[];
    /** The rows have this many events after `after`, if there are so many, and at most those of two rows more. */
    limit: number;
}

export interface EventsStore {
    /** Adds the events to the streams of their accounts. An entry that was appended before adds nothing. */
    append(entries: readonly Entry[], lifetime?: CallLifetime): Promise<void>;
    /** Returns rows with events after a number, in the order of their numbers. */
    list(query: EventsQuery, lifetime?: CallLifetime): Promise<readonly LogRow[]>;
    /** Returns the number of the last event of each of these accounts that has one. */
    heads(accounts: readonly string[], lifetime?: CallLifetime): Promise<ReadonlyArray<z.infer<typeof headRow>>>;
    erasure: readonly ErasureStep[];
}

const TYPES = ['uuid', 'text', 'timestamptz', 'jsonb'];

export function eventsStore(db: Database): EventsStore {
    return {
        append: (entries, lifetime) =>
            db.transaction((transaction) => append(transaction, entries), 'events_append', lifetime),
        list({ account, after, types, limit }, lifetime) {
            const asked = types.length === 0 ? sql.fragment`true` : sql.fragment`type = ANY(${textArray(types)})`;
            const statement = sql.type(logRow)`
                SELECT last_seq, count, type, happened_at, CASE WHEN ${asked} THEN data::text END AS data
                FROM events.log WHERE account = ${account} AND last_seq > ${after} AND last_seq < ${limit + ROW_EVENTS} + (
                    SELECT min(last_seq) FROM events.log WHERE account = ${account} AND last_seq > ${after})
                ORDER BY last_seq`;
            return db.rows(statement, 'events_list', lifetime);
        },
        heads(accounts, lifetime) {
            const statement = sql.type(headRow)`
                SELECT account, seq FROM events.heads WHERE account = ANY(${sql.array([...accounts], 'uuid')})`;
            return db.rows(statement, 'events_heads', lifetime);
        },
        erasure: eventErasure(db),
    };
}

const entryRow = z.strictObject({ entry_id: z.string() });

/**
 * Numbers the events in the given order. The row of an account in `heads` stays locked until the commit, so its numbers are
 * committed in their order, and a reader never sees one without those before it. A call that appends the same entry at the
 * same time waits for this one, and then adds nothing. An event of an erased account is appended without its data.
 */
async function append({ rows }: Queries, entries: readonly Entry[]): Promise<void> {
    const ids = entries.map(({ entry_id }) => entry_id).sort();
    const added = await rows(sql.type(entryRow)`
        INSERT INTO events.entries (entry_id) SELECT unnest(${sql.array(ids, 'uuid')})
        ON CONFLICT DO NOTHING RETURNING entry_id`);
    const addedIds = new Set(added.map(({ entry_id }) => entry_id));
    const fresh = gathered(entries.filter(({ entry_id }) => addedIds.delete(entry_id)));
    if (fresh.length === 0) return;
    await rows(sql.unsafe`
        WITH new AS (
            SELECT *, jsonb_array_length(data) AS count
            FROM ${sql.unnest(fresh, TYPES)} WITH ORDINALITY AS sent (account, type, happened_at, data, position)
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
        FROM counted JOIN heads USING (account)`);
}

function textArray(texts: readonly string[]) {
    return sql.array([...texts], 'text');
}
