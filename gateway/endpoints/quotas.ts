import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { sinceUpgrade } from '../upgrading.ts';

const quota = z.object({ used: z.number(), quota: z.number() });

/** The endpoint that shows how much the account stores and how much it may store. */
export const quotaEndpoints = [
    endpoint({
        id: 'me.quotas',
        summary: 'Get quotas',
        description:
            'A call that would exceed a quota is refused with 403. Calls at the same time may exceed a quota that is approximate. Sessions are different: a login beyond the quota ends the oldest session.',
        method: 'GET',
        path: '/v1/me/quotas',
        access: 'session',
        status: 200,
        message: 'Quotas',
        answer: z.object({
            tier: z.string(),
            quotas: z.object({
                credentials: quota,
                presentations: quota,
                dids: quota,
                issuers: quota,
                wallets: quota,
                wallet_credentials: quota,
                wallet_bytes: quota,
                active_api_keys: quota,
                api_keys: quota,
                sessions: quota,
                webhooks: quota,
                offers: quota,
            }),
        }),
        async call({ services, context }) {
            const [credentials, presentations, did, signing, wallet, keys, identity, webhooks, exchange] =
                await Promise.all([
                    sinceUpgrade(services.credentials.getQuotas({}, context)),
                    sinceUpgrade(services.presentations.getQuotas({}, context)),
                    services.did.getQuotas({}, context),
                    sinceUpgrade(services.signing.getQuotas({}, context)),
                    services.wallet.getQuotas({}, context),
                    services.keys.getQuotas({}, context),
                    services.identity.getQuotas({}, context),
                    services.webhooks.getQuotas({}, context),
                    services.exchange.getQuotas({}, context),
                ]);
            const quotas = {
                credentials: known(credentials.credentials),
                presentations: known(presentations.presentations),
                dids: known(did.dids),
                issuers: known(signing.issuers),
                wallets: known(wallet.wallets),
                wallet_credentials: known(wallet.credentials),
                wallet_bytes: known(wallet.bytes),
                active_api_keys: known(keys.active),
                api_keys: known(keys.all),
                sessions: known(identity.sessions),
                webhooks: known(webhooks.webhooks),
                offers: known(exchange.offers),
            };
            return { tier: context.tier ?? 'free', quotas };
        },
    }),
];

type Quota = z.output<typeof quota>;

/** Converts a quota for the answer. Throws if the service did not report it. */
function known(given: { used: number; limit: number } | undefined): Quota {
    if (!given) throw new Error('A service did not report one of its quotas.');
    return { used: given.used, quota: given.limit };
}
