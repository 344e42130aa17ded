import type { DatabasePool } from 'slonik';
import { AppError } from '../errors.ts';
import { type Metrics, secondsSince } from '../telemetry/metrics.ts';

/** A pool, and the number of statements and transactions that wait for one of its connections. */
interface ObservedPool {
    pool: DatabasePool;
    size: number;
    waiting(): number;
}

export interface DatabaseMetrics {
    /** Adds a pool to the exported state of all of them. */
    add(pool: ObservedPool): void;
    /** Times a use of a connection, which was asked for at `askedAt`. */
    timed<Result>(askedAt: number, run: () => Promise<Result>): Promise<Result>;
}

/** Exports the state of all pools of a process together. */
export function databaseMetrics(metrics: Metrics): DatabaseMetrics {
    const pools: ObservedPool[] = [];
    const sumOf = (of: (pool: ObservedPool) => number) => pools.reduce((sum, pool) => sum + of(pool), 0);
    metrics.gauge('database_pool_size_connections', 'Maximum number of connections to PostgreSQL.', () =>
        sumOf(({ size }) => size),
    );
    metrics.collect(
        {
            type: 'gauge',
            name: 'database_pool_connections',
            help: 'Connections to PostgreSQL: in use, idle, being opened.',
            labels: ['state'],
        },
        () => [
            { labels: { state: 'in_use' }, value: sumOf(({ pool }) => pool.state().acquiredConnections) },
            { labels: { state: 'idle' }, value: sumOf(({ pool }) => pool.state().idleConnections) },
            { labels: { state: 'opening' }, value: sumOf(({ pool }) => pool.state().pendingConnections) },
        ],
    );
    metrics.gauge('database_pool_waiting_queries', 'Statements and transactions that wait for a connection.', () =>
        sumOf(({ waiting }) => waiting()),
    );
    const duration = metrics.histogram({
        name: 'database_query_duration_seconds',
        help: 'Duration of a statement or transaction including the wait for a connection, by outcome.',
        labels: ['outcome'],
    });
    for (const outcome of ['ok', 'refused', 'unavailable']) duration.zero({ outcome });

    return {
        add: (pool) => pools.push(pool),
        async timed(askedAt, run) {
            try {
                const result = await run();
                duration.observe({ outcome: 'ok' }, secondsSince(askedAt));
                return result;
            } catch (error) {
                duration.observe({ outcome: outcomeOf(error) }, secondsSince(askedAt));
                throw error;
            }
        },
    };
}

/** An AppError of the caller that ends a transaction counts as `ok`, because PostgreSQL has refused nothing. */
function outcomeOf(error: unknown): 'ok' | 'refused' | 'unavailable' {
    if (!(error instanceof AppError)) return 'refused';
    return error.kind === 'unavailable' ? 'unavailable' : 'ok';
}
