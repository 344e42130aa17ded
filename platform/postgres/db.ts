import { createPool, type DatabasePool, type DatabasePoolConnection, type QuerySqlToken, sql } from 'slonik';
import type { CallLifetime } from '../context.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { NO_SPAN, type Span } from '../telemetry/span.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';
import { postgresDriver, UnreadableColumn } from './db-driver.ts';
import { translated } from './db-errors.ts';
import { type DatabaseMetrics, databaseMetrics } from './db-metrics.ts';
import { connectionTurns } from './db-turns.ts';
import { partSchemaInterceptor, partSchemaOf } from './part-schema.ts';
import { ROW_CHECK } from './row-check.ts';
import { refuseUnstorable } from './storable.ts';

export { isDeadlock, isRefusedStatement, refusalCode } from './db-errors.ts';
export { sql };

/** The schema of a row. */
type RowSchema<Row> = QuerySqlToken['parser'] & { readonly '~standard': { readonly types?: { readonly output: Row } } };

/** A statement. `sql.type(schema)` says what its rows are; those of `sql.unsafe` are unknown. */
export type Query<Row = unknown> = QuerySqlToken<RowSchema<Row>>;

/** The statements of a store. Rows have the column names as keys. Timestamps are ISO 8601 texts in UTC. */
export interface Queries {
    /** As in Database. */
    readonly distributed: boolean;
    /** Resolves to all rows of one statement. */
    rows<Row>(query: Query<Row>): Promise<readonly Row[]>;
}

/**
 * For a statement that serves a single call: the name of its span in the call's trace, and the call. The statement is
 * not started if the call ends before a connection is free, and waits for a turn of its caller (connectionTurns). A
 * statement of a batch needs neither: the span of its queue covers it.
 */
type Served = [name?: string, call?: CallLifetime | undefined];

export interface Database {
    /** True if each schema may be on a node of its own, so that no statement may name two of them. */
    readonly distributed: boolean;
    /** Like Queries.rows. */
    rows<Row>(query: Query<Row>, ...served: Served): Promise<readonly Row[]>;
    /**
     * Like `rows`, for frequent statements: each connection plans the statement once, under this name. Use it for
     * statements with a constant text whose best plan is the same for all values. `lifetime` is that of the call or
     * batch that the statement serves.
     */
    prepared<Row>(name: string, query: Query<Row>, lifetime?: CallLifetime): Promise<readonly Row[]>;
    /** Runs `work` in one transaction, on one connection. */
    transaction<Result>(work: (queries: Queries) => Promise<Result>, ...served: Served): Promise<Result>;
    /** Resolves when the database answers or, with the name of a table, the node that has it. No row is read. */
    ping(table?: readonly [schema: string, table: string]): Promise<void>;
    close(): Promise<void>;
}

/**
 * How long a connection may be idle and take to close, in milliseconds, and how often connecting is repeated. Beyond it:
 * the pool closes, replaces or gives up the connection.
 */
const POOL_OPTIONS = { idleTimeout: 60_000, gracefulTerminationTimeout: 2_000, connectionRetryLimit: 1 };

/** Converts the text of a column, by the OID of its type, which PostgreSQL never changes. */
const PARSERS = new Map<number, (text: string) => unknown>([
    [20, Number], // int8: counts, far below 2^53
    [1184, isoTime], // timestamptz
]);

/** `2026-11-20 19:46:29.5+00`, as PostgreSQL prints a time that was stored in milliseconds. */
const IN_MILLISECONDS = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?\+00$/;

/** Converts PostgreSQL's text to ISO 8601. Date would misread years below 100. */
function isoTime(text: string): string {
    if (IN_MILLISECONDS.test(text)) {
        const digits = text.slice(20, -3).padEnd(3, '0');
        return `${text.slice(0, 10)}T${text.slice(11, 19)}.${digits}Z`;
    }
    return new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00')).toISOString();
}

interface PoolOptions {
    /** Maximum number of connections of a pool, which connect on demand. */
    size: number;
    /**
     * A pooler such as PgBouncer assigns connections per transaction, so neither settings nor prepared statements persist
     * on a connection.
     */
    pooled: boolean;
    /** See Database. */
    distributed?: boolean;
    /** See ROW_CHECK. */
    checkRows?: boolean;
    /** The time limit of a statement, in milliseconds, if it is not the usual one of requests. */
    statementMs?: number | undefined;
}

/** Returns a function that opens the database with a URL. All that it opens have one set of metrics. */
export function databaseOpener(options: PoolOptions & { metrics: Metrics }) {
    const metrics = databaseMetrics(options.metrics);
    return (url: string, facts?: Pick<Database, 'distributed'>) => open(url, { ...options, ...facts }, metrics);
}

/** Opens the only database of a process. */
export function openDatabase({ url, ...options }: PoolOptions & { url: string; metrics: Metrics }): Promise<Database> {
    return databaseOpener(options)(url);
}

async function open(
    url: string,
    { size, pooled, checkRows = false, statementMs, distributed = false }: PoolOptions,
    metrics: DatabaseMetrics,
): Promise<Database> {
    const part = partSchemaOf(url);
    const pool = await createPool(url, {
        driverFactory: postgresDriver({ url, pooled, statementMs, parsers: PARSERS }),
        maxPoolSize: size,
        interceptors: [...(part ? [partSchemaInterceptor(part)] : []), ...(checkRows ? [ROW_CHECK] : [])],
        ...POOL_OPTIONS,
        // The caller decides whether a statement may run twice.
        queryRetryLimit: 0,
        transactionRetryLimit: 0,
        // Statements leave only prepared statements on their connection, and these must stay.
        resetConnection: async () => {},
    });
    const turn = connectionTurns(size);
    metrics.add({ pool, size, waiting: turn.waiting });
    const inSpanOf = <Result>([name, call]: Served, run: (span: Span) => Promise<Result>): Promise<Result> => {
        const span = name === undefined ? NO_SPAN : startSpan('client', name, call);
        const askedAt = performance.now();
        const inTurn = (): Promise<Result> => turn(() => metrics.timed(askedAt, () => run(span)), call, name);
        if (span === NO_SPAN) return inTurn();
        span.attribute('db.system.name', 'postgresql');
        return inSpan(span, inTurn);
    };
    const run = <Row>(query: Query<Row>, served: Served): Promise<readonly Row[]> =>
        inSpanOf(served, (span) =>
            translated(() =>
                onConnection(pool, (connection) => {
                    span.sent(1);
                    return rows(connection, query);
                }),
            ),
        );
    return {
        distributed,
        rows: (query, ...served) => run(query, served),
        prepared: (name, query, lifetime) => run(pooled ? query : { ...query, name }, lifetime ? [name, lifetime] : []),
        transaction: (work, ...served) =>
            inSpanOf(served, (span) =>
                translated(() =>
                    onConnection(pool, (connection) =>
                        connection.transaction((transaction) => {
                            span.sent(1);
                            return work({ distributed, rows: (query) => translated(() => rows(transaction, query)) });
                        }),
                    ),
                ),
            ),
        ping: async (table) => {
            await run(table ? sql.unsafe`SELECT FROM ${sql.identifier(table)} LIMIT 0` : sql.unsafe`SELECT 1`, []);
        },
        close: () => pool.end(),
    };
}

type Connection = Pick<DatabasePool, 'query'>;

async function rows<Row>(connection: Connection, query: Query<Row>): Promise<readonly Row[]> {
    return (await connection.query(query)).rows as readonly Row[]; // the schema of the statement says so
}

/**
 * Runs `work` on one connection. The pool closes a connection whose work throws. A column that cannot be read is no
 * reason for that, so its error is thrown after the connection is back in the pool.
 */
async function onConnection<Result>(
    pool: DatabasePool,
    work: (connection: DatabasePoolConnection) => Promise<Result>,
): Promise<Result> {
    let unreadable: UnreadableColumn | undefined;
    const result = await pool.connect(async (connection) => {
        try {
            return await work(connection);
        } catch (error) {
            if (!(error instanceof UnreadableColumn)) throw error;
            unreadable = error;
            return undefined;
        }
    });
    if (unreadable) throw unreadable;
    return result as Result; // undefined only beside an error
}

/**
 * How the queue of each kind of statement gathers them. Batches of 64 rows, with one on its way while another runs,
 * measured best. Beyond it: the call waits, or is `unavailable` if 4,096 wait.
 */
export const STORE_GROUPS = {
    maxBatch: 64,
    maxInFlight: 2,
    maxWaiting: 4_096,
    refuse: refuseUnstorable,
    system: 'postgresql',
} as const;
