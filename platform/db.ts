import { createPool, type DatabasePool, type QuerySqlToken, SlonikError, sql } from 'slonik';
import { overloaded } from './batch.ts';
import { databaseMetrics } from './db-metrics.ts';
import { AppError } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { refuseUnstorable } from './storable.ts';
import { inSpan, NO_SPAN, type Span, startSpan, type Traced } from './tracing.ts';

export { sql };

type Query = QuerySqlToken;

/** What a store may do with PostgreSQL. Rows have the column names as keys; timestamps are ISO 8601 text in UTC. */
export interface Queries {
    /** All rows of one statement. The row type is the caller's word: it is what the statement selects. */
    rows<Row>(query: Query): Promise<readonly Row[]>;
}

/** Of what runs for one call alone: the name of its span in the trace of that call. What runs for a group has its queue's. */
type Hop = [name?: string, traced?: Traced | undefined];

export interface Database {
    /** As Queries.rows. */
    rows<Row>(query: Query, ...hop: Hop): Promise<readonly Row[]>;
    /**
     * As `rows`, for what is asked again and again: each connection plans the statement once, under this name. For statements
     * of one text whose best plan is the same for all values. `traced`: the one call for which it runs.
     */
    prepared<Row>(name: string, query: Query, traced?: Traced): Promise<readonly Row[]>;
    /** Runs `work` in one transaction, on one connection. */
    transaction<Result>(work: (queries: Queries) => Promise<Result>, ...hop: Hop): Promise<Result>;
    /** Resolves when the database answers. */
    ping(): Promise<void>;
    close(): Promise<void>;
}

const TYPE_PARSERS = [
    { name: 'int8', parse: Number }, // counts: far below 2^53
    { name: 'timestamptz', parse: isoTime },
];

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
        maxPoolSize: size,
        connectionTimeout: 3_000,
        statementTimeout: pooled ? 'DISABLE_TIMEOUT' : 8_000, // below the request's own deadline
        idleInTransactionSessionTimeout: pooled ? 'DISABLE_TIMEOUT' : 10_000,
        idleTimeout: 60_000,
        connectionRetryLimit: 1,
        // Whether a statement may run twice is known above, not here.
        queryRetryLimit: 0,
        transactionRetryLimit: 0,
        // No statement here leaves state behind on its connection but what was prepared, which is to stay.
        resetConnection: async () => {},
        typeParsers: TYPE_PARSERS,
    });
    const timed = databaseMetrics(metrics, pool, size);
    const bounded = waitBound(size);
    const inTurn = <Result>(run: () => Promise<Result>): Promise<Result> => bounded(() => timed(run));
    const asHop = <Result>([name, traced]: Hop, run: (span: Span) => Promise<Result>): Promise<Result> => {
        const span = name === undefined ? NO_SPAN : startSpan('client', name, traced);
        if (span === NO_SPAN) return inTurn(() => run(span));
        span.attribute('db.system.name', 'postgresql');
        return inSpan(span, () => inTurn(() => run(span)));
    };
    const run = <Row>(query: Query, hop: Hop): Promise<readonly Row[]> =>
        asHop(hop, (span) => (span === NO_SPAN ? rows(pool, query) : rowsOf(pool, query, span)));
    return {
        rows: (query, ...hop) => run(query, hop),
        prepared: (name, query, traced) => run(pooled ? query : { ...query, name }, traced ? [name, traced] : []),
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

/**
 * Statements and transactions that may wait for a connection; the next one is refused. With four connections and a millisecond
 * each, the last of them waits for a quarter of a second.
 */
const MAX_WAITING = 1_024;

/** Runs what need not wait behind more than MAX_WAITING others. */
function waitBound(connections: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
    let under_way = 0;
    return (run) => {
        if (under_way >= connections + MAX_WAITING) return Promise.reject(overloaded('database_pool'));
        under_way++;
        return run().finally(() => under_way--);
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

/** Failures of the connection become `unavailable`; those of the statement itself stay what they are. */
async function translated<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
        return await run();
    } catch (error) {
        if (error instanceof AppError || !isOutage(error)) throw error;
        throw new AppError('unavailable', 'The database cannot be reached. Try again shortly.', {
            retry_after: 1,
            cause: error,
        });
    }
}

/** SQLSTATE classes of outages: 08 connection, 25006 read-only, 53 resources, 57 operator intervention, 58 system. */
const OUTAGE = /^(08|25006|53|57|58)|^E[A-Z]+$/;

function isOutage(error: unknown): boolean {
    for (let cause = error; Error.isError(cause); cause = cause.cause) {
        if ('code' in cause && typeof cause.code === 'string') return OUTAGE.test(cause.code);
        if (/terminat|timeout|closed|connect/i.test(cause.message) && error instanceof SlonikError) return true;
    }
    return false;
}

/** The SQLSTATE with which PostgreSQL refused a statement. */
export function refusalCode(error: unknown): string | undefined {
    for (let cause = error; Error.isError(cause); cause = cause.cause) {
        if ('code' in cause && typeof cause.code === 'string') return cause.code;
    }
    return undefined;
}

/** Whether PostgreSQL refused the statement for what is in it: then its neighbours in a group are not at fault. */
export function isRefusedStatement(error: unknown): boolean {
    return !(error instanceof AppError);
}

/** How stores group their statements: measured best around 64 rows, with one group on its way while another one runs. */
export const STORE_GROUPS = {
    max_batch: 64,
    max_in_flight: 2,
    max_waiting: 4_096,
    refuse: refuseUnstorable,
    system: 'postgresql',
} as const;
