import type { Stack } from './stack.ts';

export interface Account {
    user_id: string;
    email: string;
    /** A session token. */
    token: string;
    /** An API key of the tier with the highest limit. */
    api_key: string;
}

export interface World {
    /** Requests use the accounts in turn. */
    accounts: Account[];
    /** The account of the request with this index. */
    accountOf(index: number): Account;
    /** Calls the service and returns the `data` of its answer. */
    call(request: Call): Promise<Record<string, unknown>>;
    password: string;
}

interface Call {
    path: string;
    token?: string;
    body?: unknown;
}

const TIER = 'enterprise';
/** Number of accounts. Each may make 10,000 calls per minute, so the rate limit refuses no job. */
const ACCOUNTS = 64;
/** Number of logins at a time. On a busy machine, more would wait for Argon2id beyond their deadline. */
const LOGINS_AT_ONCE = 8;
const PASSWORD = 'a pass phrase for the bench';

/** Registers the accounts that make the requests. Each gets a session and an API key. */
export async function buildWorld(
    { gateways: [gateway], internal_secret }: Pick<Stack, 'gateways' | 'internal_secret'>,
    count = ACCOUNTS,
): Promise<World> {
    if (!gateway) throw new Error('There is no gateway.');
    const call = caller(`http://${gateway.host}:${gateway.port}`, internal_secret);
    const users = Array.from({ length: count }, (_, index) => ({
        email: `account-${index}@bench.example`,
        password: PASSWORD,
        tier: TIER,
    }));
    const { created } = await call({ path: '/internal/v1/admin/users/batch', body: { users } });
    const logIn = async ({ user_id, email }: { user_id: string; email: string }): Promise<Account> => {
        const login = await call({ path: '/internal/v1/auth/login', body: { email, password: PASSWORD } });
        const token = String(login['token']);
        const key = await call({ path: '/v1/keys/generate', token, body: { name: 'bench', tier: TIER } });
        return { user_id, email, token, api_key: String(key['api_key']) };
    };
    const accounts: Account[] = [];
    const waiting = created as Array<{ user_id: string; email: string }>; // as the interface says
    while (waiting.length > 0) accounts.push(...(await Promise.all(waiting.splice(0, LOGINS_AT_ONCE).map(logIn))));
    const accountOf = (index: number): Account => accounts[index % accounts.length] as Account; // the list is not empty
    return { accounts, accountOf, call, password: PASSWORD };
}

function caller(url: string, internalSecret: string): World['call'] {
    return async ({ path, token, body }) => {
        const response = await fetch(`${url}${path}`, {
            method: 'POST',
            headers: {
                'Content-Type': 'application/json',
                'X-Internal-Secret': internalSecret,
                ...(token !== undefined && { Authorization: `Bearer ${token}` }),
            },
            body: JSON.stringify(body ?? {}),
        });
        const answer = (await response.json()) as { data?: Record<string, unknown>; error?: string }; // the envelope
        if (!answer.data) throw new Error(`POST ${path} answered ${response.status}: ${answer.error}`);
        return answer.data;
    };
}
