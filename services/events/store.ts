import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import type { Entry } from '../../proto/gen/events/v1/events.ts';
import type { ErasureStep } from '../erasure.ts';
import { append } from './append.store.ts';
import { type AuditPage, type AuditRange, auditPage, auditRange } from './audit.store.ts';
import { eventErasure } from './erase.store.ts';
import { ROW_EVENTS } from './gathered.ts';
import { addCheckpoint, currentTree, rootAt, type TreeRow } from './tree.store.ts';

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
    /** The rows that are returned have at least this many events after `after`, if there are so many. */
    limit: number;
}

export interface EventsStore {
    /** Adds the events to the streams of their accounts. An entry that was appended before adds nothing. */
    append(entries: readonly Entry[], lifetime?: CallLifetime): Promise<void>;
    /** Returns rows with events after a number, in the order of their numbers. */
    list(query: EventsQuery, lifetime?: CallLifetime): Promise<readonly LogRow[]>;
    /** Returns the number of the last event of each of these accounts that has one. */
    heads(accounts: readonly string[], lifetime?: CallLifetime): Promise<ReadonlyArray<z.infer<typeof headRow>>>;
    /** The tree of the audit (tree.store.ts, audit.store.ts). */
    currentTree(lifetime?: CallLifetime): Promise<TreeRow>;
    rootAt(size: number, lifetime?: CallLifetime): Promise<Buffer | undefined>;
    addCheckpoint(checkpoint: Parameters<typeof addCheckpoint>[1], lifetime?: CallLifetime): Promise<void>;
    auditRange(times: Parameters<typeof auditRange>[1], lifetime?: CallLifetime): Promise<AuditRange>;
    auditPage(leaves: Parameters<typeof auditPage>[1], lifetime?: CallLifetime): Promise<AuditPage | undefined>;
    erasure: readonly ErasureStep[];
}

export function eventsStore(db: Database): EventsStore {
    return {
        append: (entries, lifetime) => append(db, entries, lifetime),
        list({ account, after, types, limit }, lifetime) {
            // A row has at most ROW_EVENTS events. So the rows that begin within `limit` events of the first one are read.
            const asked = types.length === 0 ? sql.fragment`true` : sql.fragment`type = ANY(${textArray(types)})`;
            const statement = sql.type(logRow)`
                SELECT last_seq, count, type, happened_at, CASE WHEN ${asked} THEN data END AS data
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
        currentTree: (lifetime) => currentTree(db, lifetime),
        rootAt: (size, lifetime) => rootAt(db, size, lifetime),
        addCheckpoint: (checkpoint, lifetime) => addCheckpoint(db, checkpoint, lifetime),
        auditRange: (times, lifetime) => auditRange(db, times, lifetime),
        auditPage: (leaves, lifetime) => auditPage(db, leaves, lifetime),
        erasure: eventErasure(db),
    };
}

function textArray(texts: readonly string[]) {
    return sql.array([...texts], 'text');
}
