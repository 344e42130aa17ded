import { dashboard, gauge, rate } from './dashboard.ts';
import { batchSize, queueLength, queueRefusals } from './process-panels.ts';

const DECISIONS = 'rate_limit_decisions_total';
const LIMITER = 'queue="limiter"';
const GUESSES = 'outcome=~"wrong_password|too_many_guesses"';

export const limits = dashboard('limits', 'limits', [
    {
        title: 'Decisions',
        panels: [
            { title: 'By outcome', unit: 'ops', lines: { '{{state}}': rate(DECISIONS, '', 'state') } },
            { title: 'By tier', unit: 'ops', lines: { '{{tier}}': rate(DECISIONS, '', 'tier') } },
            {
                title: 'Over the limit, by tier',
                unit: 'ops',
                lines: { '{{tier}}': rate(DECISIONS, 'state="limited"', 'tier') },
            },
            {
                title: 'Answered 429, by route',
                unit: 'ops',
                lines: { '{{route}}': rate('http_request_duration_seconds_count', 'status="429"', 'route') },
            },
        ],
    },
    {
        title: 'Redis',
        panels: [
            {
                title: 'Decided without Redis',
                unit: 'ops',
                lines: { decisions: rate(DECISIONS, 'state="unreachable"') },
            },
            { title: 'Connected', unit: 'short', lines: { '{{role}}': `min by (role) (${gauge('redis_connected')})` } },
        ],
    },
    { title: 'The limiter’s queue', panels: [queueLength(LIMITER), batchSize(LIMITER), queueRefusals(LIMITER)] },
    {
        title: 'Guesses of passwords',
        panels: [
            {
                title: 'Attempts, by where they count (local: without Redis)',
                unit: 'ops',
                lines: { '{{book}}': rate('password_attempts_total', '', 'book') },
            },
            { title: 'Logins', unit: 'ops', lines: { '{{outcome}}': rate('logins_total', GUESSES, 'outcome') } },
            {
                title: 'Wallets',
                unit: 'ops',
                lines: { '{{outcome}}': rate('wallets_opened_total', GUESSES, 'outcome') },
            },
        ],
    },
]);
