import type { DatabasePool } from 'slonik';
import { AppError } from '../errors.ts';
import { type Metrics, secondsSince } from '../telemetry/metrics.ts';

/** Exports the state of the pool. Returns the function that times each use of a connection. */
export function databaseMetrics(
    metrics: Metrics,
    { pool, size, waiting }: { pool: DatabasePool; size: number; waiting: () => number },
): <Result>(askedAt: number, run: () => Promise<Result>) => Promise<Result> {
    metrics.gauge('database_pool_size_connections', 'Maximum number of connections to PostgreSQL.', () => size);
    metrics.collect(
        {
            type: 'gauge',
            name: 'database_pool_connections',
            help: 'Connections to PostgreSQL: in use, idle, being opened.',
            labels: ['state'],
        },
        () => {
            const { acquiredConnections, idleConnections, pendingConnections } = pool.state();
            return [
                { labels: { state: 'in_use' }, value: acquiredConnections },
                { labels: { state: 'idle' }, value: idleConnections },
                { labels: { state: 'opening' }, value: pendingConnections },
            ];
        },
    );
    metrics.gauge('database_pool_waiting_queries', 'Statements and transactions that wait for a connection.', waiting);
    const duration = metrics.histogram({
        name: 'database_query_duration_seconds',
        help: 'Duration of a statement or transaction including the wait for a connection, by outcome.',
        labels: ['outcome'],
    });
    for (const outcome of ['ok', 'refused', 'unavailable']) duration.zero({ outcome });

    return async (askedAt, run) => {
        try {
            const result = await run();
            duration.observe({ outcome: 'ok' }, secondsSince(askedAt));
            return result;
        } catch (error) {
            duration.observe({ outcome: outcomeOf(error) }, secondsSince(askedAt));
            throw error;
        }
    };
}

/** An AppError of the caller that ends a transaction counts as `ok`, because PostgreSQL has refused nothing. */
function outcomeOf(error: unknown): 'ok' | 'refused' | 'unavailable' {
    if (!(error instanceof AppError)) return 'refused';
    return error.kind === 'unavailable' ? 'unavailable' : 'ok';
}
