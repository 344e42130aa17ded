import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

const number = z.number();

export const statisticsEndpoints = [
    endpoint({
        id: 'me.stats',
        method: 'GET',
        path: '/v1/me/stats',
        access: 'session',
        status: 200,
        message: 'Usage statistics',
        answer: z.object({
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
        }),
        async call({ services, context }) {
            const counts = await services.usage.getStatistics({}, context);
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
        },
    }),

    endpoint({
        id: 'internal.admin.stats',
        method: 'GET',
        path: '/internal/v1/admin/stats',
        access: 'internal',
        status: 200,
        message: 'Platform statistics',
        answer: z.object({
            users: z.object({
                total: number,
                active_today: number,
                active_this_week: number,
                by_tier: z.object({ free: number, basic: number, pro: number, enterprise: number }),
            }),
            dids: z.object({ total_created: number }),
            credentials: z.object({ total_issued: number, total_revoked: number, active: number }),
            presentations: z.object({ total_created: number, total_verified: number }),
            api_usage: z.object({ requests_today: number, requests_this_week: number }),
        }),
        async call({ services, context }) {
            const counts = await services.usage.getPlatformStatistics({}, context);
            const byTier = {
                free: counts.users_free,
                basic: counts.users_basic,
                pro: counts.users_pro,
                enterprise: counts.users_enterprise,
            };
            return {
                users: {
                    total: Object.values(byTier).reduce((sum, count) => sum + count, 0),
                    active_today: counts.users_active_today,
                    active_this_week: counts.users_active_this_week,
                    by_tier: byTier,
                },
                dids: { total_created: counts.dids_created },
                credentials: {
                    total_issued: counts.credentials_issued,
                    total_revoked: counts.credentials_revoked,
                    active: counts.credentials_issued - counts.credentials_revoked,
                },
                presentations: {
                    total_created: counts.presentations_created,
                    total_verified: counts.presentations_verified,
                },
                api_usage: { requests_today: counts.requests_today, requests_this_week: counts.requests_this_week },
            };
        },
    }),
];
