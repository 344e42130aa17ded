import { dashboard, gauge, rate } from './dashboard.ts';
import { batchSize, queueLength, queueRefusals } from './process-panels.ts';

const DECISIONS = 'rate_limit_decisions_total';
const LIMITER = 'queue="limiter"';
const CALLS = 'rpc_server_duration_seconds_count';
const GUESSES = 'outcome=~"unauthenticated|rate_limited"';

export const limits = dashboard('limits', 'limits', [
    {
        title: 'Decisions',
        panels: [
            { title: 'Decisions, by outcome', unit: 'ops', lines: { '{{state}}': rate(DECISIONS, '', 'state') } },
            { title: 'Decisions, by tier', unit: 'ops', lines: { '{{tier}}': rate(DECISIONS, '', 'tier') } },
            {
                title: 'Calls over the limit, by tier',
                unit: 'ops',
                lines: { '{{tier}}': rate(DECISIONS, 'state="limited"', 'tier') },
            },
            {
                title: 'Answers with 429, by route',
                unit: 'ops',
                lines: { '{{route}}': rate('http_request_duration_seconds_count', 'status="429"', 'route') },
            },
        ],
    },
    {
        title: 'Redis',
        panels: [
            {
                title: 'Decisions without Redis',
                unit: 'ops',
                lines: { decisions: rate(DECISIONS, 'state="unreachable"') },
            },
            {
                title: 'Connected to Redis (1: every process of the role)',
                unit: 'short',
                lines: { '{{role}}': `min by (role) (${gauge('redis_connected')})` },
            },
        ],
    },
    { title: 'Queue of the limiter', panels: [queueLength(LIMITER), batchSize(LIMITER), queueRefusals(LIMITER)] },
    {
        title: 'API keys',
        panels: [
            {
                title: 'Calls that the restrictions of a key do not permit, by restriction',
                unit: 'ops',
                lines: { '{{restriction}}': rate('api_key_restrictions_refused_total', '', 'restriction') },
            },
        ],
    },
    {
        title: 'Statistics',
        panels: [
            {
                title: 'Requests whose counts were lost',
                unit: 'ops',
                lines: { requests: rate('request_counts_lost_total') },
            },
        ],
    },
    {
        title: 'Password guesses',
        panels: [
            {
                title: 'Failed attempts with a password, by method',
                unit: 'ops',
                lines: {
                    '{{method}} {{outcome}}': rate(CALLS, `method=~".*/(Login|Open)",${GUESSES}`, 'method, outcome'),
                },
            },
        ],
    },
]);
