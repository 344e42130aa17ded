import { gauge, type Panel, quantile, rate } from './dashboard.ts';

/** Panels for metrics that every process has. `select` matches the processes; `by` is the label of the lines. */

export const cpu = (select = '', by = 'role'): Panel => ({
    title: 'CPU',
    unit: 'short',
    lines: { [`{{${by}}}`]: rate('process_cpu_seconds_total', select, by) },
});

export const memory = (select = '', by = 'role'): Panel => ({
    title: 'Memory',
    unit: 'bytes',
    lines: { [`{{${by}}}`]: `sum by (${by}) (${gauge('process_resident_memory_bytes', select)})` },
});

export const eventLoop = (select = '', by = 'role'): Panel => ({
    title: 'Busiest event loop',
    unit: 'percentunit',
    lines: {
        [`{{${by}}}`]: `max by (${by}) (rate(${gauge('event_loop_active_seconds_total', select)}[$__rate_interval]))`,
    },
});

export const eventLoopLag = (select = '', by = 'role'): Panel => ({
    title: 'Event loop delay, 99th percentile',
    unit: 's',
    lines: { [`{{${by}}}`]: quantile(0.99, 'event_loop_delay_seconds', select, by) },
});

export const queueLength = (select = ''): Panel => ({
    title: 'Items waiting in queues',
    unit: 'short',
    lines: { '{{queue}}': `sum by (queue) (${gauge('queue_waiting_items', select)})` },
});

export const batchSize = (select = ''): Panel => ({
    title: 'Mean size of a batch',
    unit: 'short',
    lines: {
        '{{queue}}': `${rate('queue_items_total', select, 'queue')} / ${rate('queue_batches_total', select, 'queue')}`,
    },
});

export const queueRefusals = (select = ''): Panel => ({
    title: 'Items refused by full queues',
    unit: 'ops',
    lines: { '{{queue}}': rate('queue_refused_total', select, 'queue') },
});

export const connections = (select = ''): Panel => ({
    title: 'Connections to PostgreSQL',
    unit: 'short',
    lines: {
        '{{state}}': `sum by (state) (${gauge('database_pool_connections', select)})`,
        maximum: `sum(${gauge('database_pool_size_connections', select)})`,
        'waiting for one': `sum(${gauge('database_pool_waiting_queries', select)})`,
    },
});

export const statements = (select = ''): Panel => ({
    title: 'Statements, by outcome',
    unit: 'ops',
    lines: { '{{outcome}}': rate('database_query_duration_seconds_count', select, 'outcome') },
});

export const statementTime = (select = ''): Panel => ({
    title: 'Time of statements',
    unit: 's',
    lines: {
        median: quantile(0.5, 'database_query_duration_seconds', select),
        '99th percentile': quantile(0.99, 'database_query_duration_seconds', select),
    },
});

export const databases = (select = ''): Panel => ({
    title: 'Databases that answer (1) or do not (0)',
    unit: 'short',
    lines: { '{{database}}': `min by (database) (${gauge('database_answers', select)})` },
});
