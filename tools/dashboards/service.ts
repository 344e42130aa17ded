import { dashboard, gauge, percentiles, quantile, type Row, rate } from './dashboard.ts';
import {
    batchSize,
    connections,
    cpu,
    databases,
    eventLoop,
    eventLoopLag,
    memory,
    queueLength,
    queueRefusals,
    statements,
    statementTime,
} from './process-panels.ts';

const CALLS = 'rpc_server_duration_seconds';

const LIST_ROUTES = 'route=~"status_lists.*"';

/** Rows that only one service has. */
const OWN_ROWS: Readonly<Record<string, Row[]>> = {
    events: [
        {
            title: 'Outboxes',
            panels: [
                {
                    title: 'How long the oldest event has waited, by service',
                    unit: 's',
                    lines: { '{{service}}': `max by (service) (${gauge('outbox_age_seconds')})` },
                },
                {
                    title: 'Runs of the relays, by outcome',
                    unit: 'ops',
                    lines: { '{{outcome}}': rate('job_duration_seconds_count', 'task="relay"', 'outcome') },
                },
                percentiles('Time of a run', 'job_duration_seconds', 'task="relay"'),
            ],
        },
    ],
    identity: [
        {
            title: 'Erasures',
            panels: [
                {
                    title: 'Time since the request of the oldest unfinished erasure',
                    unit: 's',
                    lines: { unfinished: `max(${gauge('erasure_age_seconds')})` },
                },
                {
                    title: 'Runs of the erasing job, by outcome',
                    unit: 'ops',
                    lines: { '{{outcome}}': rate('job_duration_seconds_count', 'task="erase"', 'outcome') },
                },
            ],
        },
    ],
    webhooks: [
        {
            title: 'Deliveries',
            panels: [
                {
                    title: 'Attempts, by outcome',
                    unit: 'ops',
                    lines: { '{{outcome}}': rate('webhook_attempts_total', '', 'outcome') },
                },
                {
                    title: 'How long the webhook has waited that has waited longest',
                    unit: 's',
                    lines: { waiting: `max(${gauge('webhook_oldest_due_seconds')})` },
                },
                {
                    title: 'Webhooks that get nothing, by state',
                    unit: 'short',
                    lines: { '{{state}}': `max by (state) (${gauge('webhook_inactive')})` },
                },
            ],
        },
    ],
    exchange: [
        {
            title: 'Wallets of other people',
            panels: [
                {
                    title: 'Refused requests for credentials, by error',
                    unit: 'ops',
                    lines: { '{{error}}': rate('exchange_refusals_total', 'endpoint="credential"', 'error') },
                },
                {
                    title: 'Refused requests for tokens, by error',
                    unit: 'ops',
                    lines: { '{{error}}': rate('exchange_refusals_total', 'endpoint="token"', 'error') },
                },
            ],
        },
    ],
    credentials: [
        {
            title: 'Status lists',
            panels: [
                {
                    title: 'How long a publication has been due, by reason',
                    unit: 's',
                    lines: { '{{due}}': `max by (due) (${gauge('status_list_age_seconds')})` },
                },
                {
                    title: 'Runs of the publisher, by outcome',
                    unit: 'ops',
                    lines: {
                        '{{outcome}}': rate('job_duration_seconds_count', 'task="status_lists"', 'outcome'),
                    },
                },
                percentiles('Time of a run', 'job_duration_seconds', 'task="status_lists"'),
                {
                    title: 'Requests for lists, by status',
                    unit: 'ops',
                    lines: { '{{status}}': rate('http_request_duration_seconds_count', LIST_ROUTES, 'status') },
                },
            ],
        },
    ],
};

/** The dashboard of one service: the calls of its methods in any process, and the processes of its role. */
export function serviceDashboard(role: string): object {
    const methods = `method=~"/${role}\\\\..*"`;
    const processes = `role="${role}"`;
    return dashboard(`service-${role}`, role, [
        {
            title: 'Calls',
            panels: [
                {
                    title: 'Calls, by method',
                    unit: 'ops',
                    lines: { '{{method}}': rate(`${CALLS}_count`, methods, 'method') },
                },
                {
                    title: 'Calls, by outcome',
                    unit: 'ops',
                    lines: { '{{outcome}}': rate(`${CALLS}_count`, methods, 'outcome') },
                },
                percentiles('Time to answer', CALLS, methods),
                {
                    title: 'Time to answer by method, 99th percentile',
                    unit: 's',
                    lines: { '{{method}}': quantile(0.99, CALLS, methods, 'method') },
                },
            ],
        },
        {
            title: 'Processes',
            panels: [
                cpu(processes, 'instance'),
                memory(processes, 'instance'),
                eventLoop(processes, 'instance'),
                eventLoopLag(processes, 'instance'),
            ],
        },
        {
            title: 'Queues and callers',
            panels: [
                queueLength(processes),
                batchSize(processes),
                queueRefusals(processes),
                {
                    title: 'Connected processes of this service: minimum over the callers of a role',
                    unit: 'short',
                    lines: {
                        '{{role}}': `min by (role) (${gauge('rpc_client_peers', `service="${role}",state="open"`)})`,
                    },
                },
            ],
        },
        ...(OWN_ROWS[role] ?? []),
        {
            title: 'PostgreSQL',
            panels: [connections(processes), statements(processes), statementTime(processes), databases(processes)],
        },
    ]);
}
