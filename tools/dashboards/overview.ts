import { dashboard, gauge, percentiles, quantile, rate } from './dashboard.ts';
import { connections, cpu, eventLoop, memory, queueLength, queueRefusals, statementTime } from './process-panels.ts';

const REQUESTS = 'http_request_duration_seconds';
const COUNT = `${REQUESTS}_count`;
const FAILED = 'status=~"5.."';

export const overview = dashboard('overview', 'overview', [
    {
        title: 'Requests',
        panels: [
            { title: 'Requests, by status', unit: 'ops', lines: { '{{status}}': rate(COUNT, '', 'status') } },
            {
                title: 'Share of failed requests (5xx)',
                unit: 'percentunit',
                lines: { failed: `(${rate(COUNT, FAILED)} or 0 * ${rate(COUNT)}) / ${rate(COUNT)}` },
            },
            percentiles('Time to answer', REQUESTS),
            {
                title: 'Answers with 503, by reason',
                unit: 'ops',
                lines: { '{{reason}}': rate('http_unavailable_total', '', 'reason') },
            },
        ],
    },
    {
        title: 'Routes',
        panels: [
            { title: 'Busiest routes', unit: 'ops', lines: { '{{route}}': `topk(10, ${rate(COUNT, '', 'route')})` } },
            {
                title: 'Slowest routes, 99th percentile',
                unit: 's',
                lines: { '{{route}}': `topk(10, ${quantile(0.99, REQUESTS, '', 'route')})` },
            },
            {
                title: 'Requests in progress, and their bound',
                unit: 'short',
                lines: {
                    'in progress, {{instance}}': gauge('http_requests_under_way'),
                    'bound, {{instance}}': gauge('http_requests_bound'),
                },
            },
            {
                title: 'Requests shed because of overload',
                unit: 'ops',
                lines: { '{{instance}}': rate('http_requests_refused_total', '', 'instance') },
            },
            {
                title: 'Cut connections',
                unit: 'ops',
                lines: { '{{reason}}': rate('http_connections_cut_total', '', 'reason') },
            },
            {
                title: 'Answers waiting for their readers',
                unit: 'bytes',
                lines: { '{{instance}}': gauge('http_unsent_bytes') },
            },
        ],
    },
    {
        title: 'Calls of services',
        panels: [
            {
                title: 'Successful calls, by method',
                unit: 'ops',
                lines: { '{{method}}': rate('rpc_server_duration_seconds_count', 'outcome="ok"', 'method') },
            },
        ],
    },
    {
        title: 'Repeated calls and batches',
        panels: [
            {
                title: 'Calls with an Idempotency-Key that was used before, by outcome',
                unit: 'ops',
                lines: {
                    '{{operation}} {{outcome}}': rate('idempotent_repeats_total', '', 'operation, outcome'),
                },
            },
            {
                title: 'Items of batches',
                unit: 'ops',
                lines: { '{{method}} {{outcome}}': rate('credential_batch_items_total', '', 'method, outcome') },
            },
        ],
    },
    {
        title: 'Processes',
        panels: [
            {
                title: 'Serving processes',
                unit: 'short',
                lines: { '{{role}}': `sum by (role) (${gauge('process_serving')})` },
            },
            cpu(),
            memory(),
            eventLoop(),
        ],
    },
    {
        title: 'gRPC ports',
        panels: [
            {
                title: 'Cut gRPC connections',
                unit: 'ops',
                lines: { '{{role}} {{reason}}': rate('grpc_connections_cut_total', '', 'role, reason') },
            },
        ],
    },
    { title: 'Queues and PostgreSQL', panels: [queueLength(), queueRefusals(), connections(), statementTime()] },
    {
        title: 'Jobs',
        panels: [
            {
                title: 'Time since the last success',
                unit: 's',
                lines: {
                    '{{queue}} {{task}}': `time() - max by (queue, task) (${gauge('job_last_success_timestamp_seconds')})`,
                },
            },
            {
                title: 'Age of the oldest job that is due',
                unit: 's',
                lines: { '{{queue}}': `max by (queue) (${gauge('job_queue_oldest_due_seconds')})` },
            },
            {
                title: 'Jobs, by state',
                unit: 'short',
                lines: { '{{queue}} {{state}}': `max by (queue, state) (${gauge('job_queue_jobs')})` },
            },
            {
                title: 'Runs, by outcome',
                unit: 'ops',
                lines: { '{{task}} {{outcome}}': rate('job_duration_seconds_count', '', 'task, outcome') },
            },
        ],
    },
]);
