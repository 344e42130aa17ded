import { createPool, type DatabasePool, type QuerySqlToken, sql } from 'slonik';
import type { Patience } from './context.ts';
import { postgresDriver } from './db-driver.ts';
import { translated } from './db-errors.ts';
import { databaseMetrics } from './db-metrics.ts';
import { connectionTurns } from './db-turns.ts';
import type { Metrics } from './metrics.ts';
import { refuseUnstorable } from './storable.ts';
import { inSpan, NO_SPAN, type Span, startSpan } from './tracing.ts';

export { isRefusedStatement, refusalCode } from './db-errors.ts';
export { sql };

type Query = QuerySqlToken;

/** What a store may do with PostgreSQL. Rows have the column names as keys; timestamps are ISO 8601 text in UTC. */
export interface Queries {
    /** All rows of one statement. The row type is the caller's word: it is what the statement selects. */
    rows<Row>(query: Query): Promise<readonly Row[]>;
}

/**
 * Of what runs for one call alone: the name of its span in the trace of that call, and the call. It is not begun when the call
 * is over before a connection is free. What runs for a group has its queue's span.
 */
type Hop = [name?: string, call?: Patience | undefined];

export interface Database {
    /** As Queries.rows. */
    rows<Row>(query: Query, ...hop: Hop): Promise<readonly Row[]>;
    /**
     * As `rows`, for what is asked again and again: each connection plans the statement once, under this name. For statements
     * of one text whose best plan is the same for all values. `patience`: of the one call, or the group, for which it runs.
     */
    prepared<Row>(name: string, query: Query, patience?: Patience): Promise<readonly Row[]>;
    /** Runs `work` in one transaction, on one connection. */
    transaction<Result>(work: (queries: Queries) => Promise<Result>, ...hop: Hop): Promise<Result>;
    /** Resolves when the database answers. */
    ping(): Promise<void>;
    close(): Promise<void>;
}

/** By the OID of the type, which PostgreSQL never changes. */
const PARSERS = new Map<number, (text: string) => unknown>([
    [20, Number], // int8: counts, far below 2^53
    [1184, isoTime], // timestamptz
]);

/** `2026-11-20 19:46:29.5+00`, as PostgreSQL writes what was stored in milliseconds. */
const IN_MILLISECONDS = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?\+00$/;

/** PostgreSQL's text in ISO 8601: as it is, Date takes years below 100 for others. */
function isoTime(text: string): string {
    if (IN_MILLISECONDS.test(text)) {
        const digits = text.slice(20, -3).padEnd(3, '0');
        return `${text.slice(0, 10)}T${text.slice(11, 19)}.${digits}Z`;
    }
    return new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00')).toISOString();
}

/**
 * A pool of at most `size` connections, opened when they are needed. `pooled`: behind a pooler that gives a connection for one
 * transaction only, so that nothing may be left on it: neither settings nor prepared statements.
 */
export async function openDatabase(options: {
    url: string;
    size: number;
    pooled: boolean;
    metrics: Metrics;
}): Promise<Database> {
    const { url, size, pooled, metrics } = options;
    const pool = await createPool(url, {
        driverFactory: postgresDriver({ url, pooled, parsers: PARSERS }),
        maxPoolSize: size,
        idleTimeout: 60_000,
        gracefulTerminationTimeout: 2_000, // a connection that is given up is replaced at once, however it ends
        connectionRetryLimit: 1,
        // Whether a statement may run twice is known above, not here.
        queryRetryLimit: 0,
        transactionRetryLimit: 0,
        // No statement here leaves state behind on its connection but what was prepared, which is to stay.
        resetConnection: async () => {},
    });
    const turn = connectionTurns(size);
    const timed = databaseMetrics(metrics, { pool, size, waiting: turn.waiting });
    const asHop = <Result>([name, call]: Hop, run: (span: Span) => Promise<Result>): Promise<Result> => {
        const span = name === undefined ? NO_SPAN : startSpan('client', name, call);
        const askedAt = performance.now();
        const inTurn = (): Promise<Result> => turn(() => timed(askedAt, () => run(span)), call);
        if (span === NO_SPAN) return inTurn();
        span.attribute('db.system.name', 'postgresql');
        return inSpan(span, inTurn);
    };
    const run = <Row>(query: Query, hop: Hop): Promise<readonly Row[]> =>
        asHop(hop, (span) => (span === NO_SPAN ? rows(pool, query) : rowsOf(pool, query, span)));
    return {
        rows: (query, ...hop) => run(query, hop),
        prepared: (name, query, patience) => run(pooled ? query : { ...query, name }, patience ? [name, patience] : []),
        transaction: (work, ...hop) =>
            asHop(hop, (span) =>
                translated(() =>
                    pool.transaction((connection) => {
                        span.sent(1);
                        return work({ rows: (query) => rows(connection, query) });
                    }),
                ),
            ),
        ping: async () => {
            await run(sql.unsafe`SELECT 1`, []);
        },
        close: () => pool.end(),
    };
}

type Connection = Pick<DatabasePool, 'query'>;

async function rows<Row>(connection: Connection, query: Query): Promise<readonly Row[]> {
    const result = await translated(() => connection.query(query));
    return result.rows as readonly Row[]; // see Queries.rows
}

/** As `rows`; the span tells how long it waited for a connection. */
function rowsOf<Row>(pool: DatabasePool, query: Query, span: Span): Promise<readonly Row[]> {
    return translated(() =>
        pool.connect((connection) => {
            span.sent(1);
            return rows<Row>(connection, query);
        }),
    );
}

/** How stores group their statements: measured best around 64 rows, with one group on its way while another one runs. */
export const STORE_GROUPS = {
    max_batch: 64,
    max_in_flight: 2,
    max_waiting: 4_096,
    refuse: refuseUnstorable,
    system: 'postgresql',
} as const;
