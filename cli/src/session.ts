import { type Client, type ClientOptions, createClient } from '../../client/src/client.ts';
import { type Login, readLogin, writeLogin } from './config.ts';
import { CliError } from './errors.ts';
import type { World } from './world.ts';

/** Where `npm start` runs the service. */
const DEFAULT_URL = 'http://127.0.0.1:8080';
/** A session is refreshed this long before it expires, in milliseconds. */
const REFRESH_BEFORE_MS = 60_000;

/** The address of the service: --url, CRED_URL, where the user is logged in, or the local service. */
export function serviceUrl(world: World, url: string | undefined): string {
    const given = url ?? (world.env['CRED_URL'] || undefined) ?? readLogin(world)?.url ?? DEFAULT_URL;
    return given.replace(/\/+$/, '');
}

/** A client without credentials. */
export function anonymous(world: World, url: string | undefined, more: Partial<ClientOptions> = {}): Client {
    try {
        return createClient({ base_url: serviceUrl(world, url), ...more });
    } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        throw new CliError('The address of the service must look like https://credentials.example.');
    }
}

/** A client with the credentials of CRED_TOKEN or of the stored login. Refreshes a session that is about to expire. */
export async function openSession(
    world: World,
    url: string | undefined,
    more: Partial<ClientOptions> = {},
): Promise<Client> {
    const client = anonymous(world, url, more);
    const token = world.env['CRED_TOKEN'] || (await storedToken(world, client, serviceUrl(world, url)));
    return client.as({ token });
}

async function storedToken(world: World, client: Client, url: string): Promise<string> {
    const login = readLogin(world);
    if (login === undefined) throw new CliError('You are not logged in. Run "cred login", or set CRED_TOKEN.');
    // A token that is sent to another service could be used there.
    if (login.url !== url) {
        throw new CliError(`You are logged in at ${login.url}. Run "cred login --url ${url}", or set CRED_TOKEN.`);
    }
    const { refresh_token, expires_at } = login;
    const isFresh = expires_at === undefined || Date.parse(expires_at) > Date.now() + REFRESH_BEFORE_MS;
    if (isFresh || refresh_token === undefined) return login.token;
    const renewed: Login = { url, ...(await client.internal.auth.refresh({ refresh_token })) };
    writeLogin(world, renewed);
    return renewed.token;
}
