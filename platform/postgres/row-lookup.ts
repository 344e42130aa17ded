import { type Coalescer, coalesce } from '../batch.ts';
import type { FlightLimit } from '../gather.ts';
import { type Database, type Query, STORE_GROUPS } from './db.ts';

/** How many statements of a store run at a time. */
export interface StatementLimits {
    /** Statements at a time. With one, more calls share each of them. Default: as in STORE_GROUPS. */
    maxInFlight?: 1;
    /** Limits them together with other statements. */
    flightLimit?: FlightLimit;
}

interface LookupOptions<Key, Row> extends StatementLimits {
    /** The name of the queue. It also names the span of a call. */
    name: string;
    /** The name of the prepared statement. */
    statement: string;
    /** The statement that finds the rows of many keys. */
    query(keys: Key[]): Query<Row>;
    /** The key of a row. */
    keyOf(row: Row): Key;
    /** Equal keys have equal texts. Default: the key itself, as text. */
    textOf?(key: Key): string;
}

/** Finds rows by a unique key: calls are gathered, and one statement finds the rows of a batch. */
export function rowLookup<Key, Row>(
    db: Database,
    { name, statement, query, keyOf, textOf = String, ...limits }: LookupOptions<Key, Row>,
): Coalescer<Key, Row | undefined> {
    return coalesce({
        ...STORE_GROUPS,
        ...limits,
        name,
        async run(keys: Key[], group) {
            const rows = await db.prepared(statement, query(keys), group);
            const found = new Map(rows.map((row) => [textOf(keyOf(row)), row]));
            return keys.map((key) => found.get(textOf(key)));
        },
    });
}
