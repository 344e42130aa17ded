import type { World } from '../world.ts';
import { times, type Workload } from './job.ts';

/** Number of wallets. It is small because Argon2id makes creating a wallet slow. */
const WALLETS = 64;
/** Calls per minute of the tier `free`. */
const FREE_LIMIT = 10;
const WALLET_PASSWORD = 'open sesame, says the bench';

export const accountJobs: Workload[] = [
    {
        name: 'me',
        expected: { status: 200 },
        parts: { limit: 1, find: 2 },
        perSecond: 10_000,
        repeat: true,
        atMost: 640,
        requests: async (count, { world }) =>
            times(count, (index) => ({ method: 'GET', path: '/v1/me', token: world.accountOf(index).token })),
    },
    {
        name: 'login',
        expected: { status: 200 },
        // The row is the new session.
        parts: { limit: 1, find: 1, argon2id: 1, credential_row: 1 },
        perSecond: 200,
        repeat: true,
        requests: async (count, { world }) =>
            times(count, (index) => ({
                method: 'POST',
                path: '/internal/v1/auth/login',
                body: { email: world.accountOf(index).email, password: world.password },
            })),
    },
    {
        name: 'open-wallet',
        expected: { status: 200 },
        parts: { limit: 1, find: 2, argon2id: 1 },
        perSecond: 200,
        repeat: true,
        atMost: WALLETS,
        requests: async (count, { world }) =>
            Promise.all(
                times(count, async (index) => {
                    const { api_key: token } = world.accountOf(index);
                    const body = { name: 'bench', password: WALLET_PASSWORD };
                    const { wallet_id } = await world.call({ path: '/v1/wallets', token, body });
                    return {
                        method: 'POST' as const,
                        path: '/v1/wallets/open',
                        token,
                        body: { wallet_id, password: WALLET_PASSWORD },
                    };
                }),
            ),
    },
    {
        name: 'refused',
        expected: { status: 429 },
        parts: { limit: 1 },
        perSecond: 10_000,
        repeat: true,
        atMost: 640,
        async requests(count, { world }) {
            const keys = await Promise.all(world.accounts.map((account) => usedUpKey(account.token, world.call)));
            return times(count, (index) => ({
                method: 'GET',
                path: '/v1/credentials/status/urn:uuid:00000000-0000-7000-8000-000000000000',
                token: keys[index % keys.length] ?? '',
            }));
        },
    },
];

/** Returns an API key of the lowest tier that has used up its calls of this minute. */
async function usedUpKey(token: string, call: World['call']): Promise<string> {
    const { api_key } = await call({ path: '/v1/keys/generate', token, body: { name: 'used up', tier: 'free' } });
    const key = String(api_key);
    for (let calls = 0; calls < FREE_LIMIT; calls++) await call({ path: '/v1/did', token: key });
    return key;
}
