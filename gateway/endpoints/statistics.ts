import { z } from 'zod';
import type { Statistics } from '../../proto/gen/usage/v1/usage.ts';
import { endpoint } from '../endpoint.ts';

const number = z.number();

export const statistics = z.object({
    period: z.string(),
    dids: z.object({ total: number, created_this_month: number }),
    credentials: z.object({
        total_issued: number,
        issued_this_month: number,
        total_revoked: number,
        total_active: number,
    }),
    presentations: z.object({ total_created: number, created_this_month: number, total_verified: number }),
    api_usage: z.object({ requests_this_month: number, requests_today: number, rate_limit_hits: number }),
    wallets: z.object({ total: number, credentials_stored: number }),
});

export function statisticsOf(counts: Statistics): z.input<typeof statistics> {
    return {
        period: counts.period,
        dids: { total: counts.dids_total, created_this_month: counts.dids_created_this_month },
        credentials: {
            total_issued: counts.credentials_issued,
            issued_this_month: counts.credentials_issued_this_month,
            total_revoked: counts.credentials_revoked,
            total_active: counts.credentials_issued - counts.credentials_revoked,
        },
        presentations: {
            total_created: counts.presentations_created,
            created_this_month: counts.presentations_created_this_month,
            total_verified: counts.presentations_verified,
        },
        api_usage: {
            requests_this_month: counts.requests_this_month,
            requests_today: counts.requests_today,
            rate_limit_hits: counts.rate_limit_hits,
        },
        wallets: { total: counts.wallets, credentials_stored: counts.wallet_credentials },
    };
}

export const statisticsEndpoints = [
    endpoint({
        id: 'me.stats',
        summary: 'Get usage statistics',
        method: 'GET',
        path: '/v1/me/stats',
        access: 'session',
        status: 200,
        message: 'Usage statistics',
        answer: statistics,
        call: async ({ services, context }) => statisticsOf(await services.usage.getStatistics({}, context)),
    }),
];
