import { ApiError, type Client } from '../../../client/src/client.ts';
import { command } from '../command.ts';
import { readLogin, removeLogin, writeLogin } from '../config.ts';
import { CliError } from '../errors.ts';
import { fieldsReport } from '../report.ts';
import { readSecret } from '../secret.ts';
import { anonymous, serviceUrl } from '../session.ts';
import { SECRET_FILE, trusted } from '../trusted.ts';

const PASSWORD = { what: 'password', variable: 'CRED_PASSWORD' } as const;

export const login = command({
    name: 'login',
    summary: 'Log in, or store an API key',
    details:
        'Reads the password at the prompt, from standard input or from CRED_PASSWORD, and stores the session in ~/.config/cred/config.json, which only you can read. With --key it reads an API key in the same way (CRED_TOKEN) and stores that. A stored login is used for its own service only.',
    positionals: { email: { summary: 'Email address of the account; not with --key', optional: true } },
    options: { key: { summary: 'Store an API key instead of a session' } },
    examples: [
        { line: 'cred login ada@example.com --url https://credentials.example' },
        { line: 'cred login --key < api-key.txt', note: 'for a program' },
    ],
    async run({ args: { email }, options: { key }, world, url }) {
        const address = serviceUrl(world, url);
        const client = anonymous(world, url);
        if (key) {
            if (email !== undefined) throw new CliError('With --key there is no EMAIL: an API key knows its account.');
            const token = await readSecret(world, { what: 'API key', variable: 'CRED_TOKEN' });
            await limitOf(client.as({ token })); // a wrong key is refused before it is stored
            const config = writeLogin(world, { url: address, token });
            return fieldsReport({ url: address, config }, { 'logged in': 'with an API key', url: address });
        }
        if (email === undefined) throw new CliError('Say who logs in: "cred login EMAIL", or "cred login --key".');
        const password = await readSecret(world, PASSWORD);
        const { token, expires_at } = await client.internal.auth.login({ email, password });
        const config = writeLogin(world, { url: address, token, expires_at });
        return fieldsReport({ url: address, email, expires_at, config }, { 'logged in': email, url: address });
    },
});

export const logout = command({
    name: 'logout',
    summary: 'Forget the session or the API key',
    details:
        'A trusted caller, who has CRED_INTERNAL_SECRET, also ends the session at the service. Otherwise it ends when it expires, and an API key with "cred keys revoke".',
    examples: [{ line: 'cred logout' }],
    async run({ world }) {
        const stored = readLogin(world);
        if (stored === undefined) return { data: { logged_out: false }, lines: ['You were not logged in.'] };
        const { url, token, expires_at } = stored;
        removeLogin(world);
        const secret = world.env['CRED_INTERNAL_SECRET'];
        if (secret && expires_at !== undefined) {
            await anonymous(world, url, { internal_secret: secret }).internal.auth.logout({ token });
        }
        return { data: { logged_out: true, url }, lines: [`Logged out of ${url}.`] };
    },
});

export const whoami = command({
    name: 'whoami',
    summary: 'Show who you are for the service, and where it is',
    details: 'An API key does not tell its account, so only its rate limit is shown.',
    examples: [{ line: 'cred whoami' }],
    async run({ world, url, service }) {
        const client = await service();
        const address = serviceUrl(world, url);
        try {
            const { email, name, tier, user_id } = await client.me.get();
            const account = { email, name, tier, user_id, url: address };
            return fieldsReport(account, account);
        } catch (error) {
            if (!(error instanceof ApiError && error.status === 401)) throw error;
        }
        const limit = { api_key: true, requests_per_minute: await limitOf(client), url: address };
        return fieldsReport(limit, limit);
    },
});

export const accountDelete = command({
    name: 'account delete',
    summary: 'Erase your account, for ever',
    details:
        'Ends its sessions and API keys at once and removes its data. Nothing can be restored. What its issuers have signed stays valid. Needs a session, and reads the password at the prompt, from standard input or from CRED_PASSWORD.',
    options: { yes: { summary: 'Say that you mean it: without it, nothing happens' } },
    examples: [{ line: 'cred account delete --yes' }],
    async run({ options: { yes }, world, service }) {
        if (!yes) throw new CliError('This erases the account for ever. If you mean it, add --yes.');
        const client = await service();
        const password = await readSecret(world, PASSWORD);
        const erased = await client.me.delete({ password, confirm: 'delete' });
        if (!world.env['CRED_TOKEN']) removeLogin(world); // else the stored login was not used
        return fieldsReport(erased, { erased: erased.user_id, erased_at: erased.erased_at });
    },
});

/** Any did:key: resolving it needs no entry in the service. */
const SOME_DID = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';

/** The rate limit of an API key. Throws ApiError if the key is refused. A key without the right to resolve is good. */
async function limitOf(client: Client): Promise<number | undefined> {
    try {
        await client.did.resolve({ did: SOME_DID, derive: true });
    } catch (error) {
        if (!(error instanceof ApiError && error.status === 403)) throw error;
    }
    return client.rate_limit?.limit;
}

export const register = command({
    name: 'register',
    summary: 'Register an account, as a trusted caller',
    details:
        'Needs the internal secret of the service, in CRED_INTERNAL_SECRET or in the file of --secret-file. Reads the password of the new account at the prompt, from standard input or from CRED_PASSWORD.',
    positionals: { email: { summary: 'Email address of the new account' } },
    options: {
        name: { value: 'TEXT', summary: 'Display name' },
        'secret-file': SECRET_FILE,
    },
    examples: [{ line: 'cred register grace@example.com --name Grace --secret-file .data/internal-secret' }],
    async run({ args: { email }, options: { name, 'secret-file': file }, world, url }) {
        const client = trusted(world, url, file);
        const password = await readSecret(world, { ...PASSWORD, confirm: true });
        const account = await client.internal.auth.register({ email, password, ...(name !== undefined && { name }) });
        return fieldsReport(account, { registered: account.email, user_id: account.user_id, tier: account.tier });
    },
});
