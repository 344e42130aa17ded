import { readBaseUrl } from '../../client/src/base-url.ts';
import { type Client, type ClientOptions, createClient } from '../../client/src/client.ts';
import { readLogin } from './config.ts';
import { CliError } from './errors.ts';
import type { World } from './world.ts';

/** How often a call is tried. Somebody who waits at a terminal should soon read that the service is away. */
const TRIES = 4;
/** Where `npm start` runs the service. */
const DEFAULT_URL = 'http://127.0.0.1:8080';

/** The address of the service: --url, CRED_URL, where the user is logged in, or the local service. */
export function serviceUrl(world: World, url: string | undefined): string {
    return checkedUrl(url ?? (world.env['CRED_URL'] || undefined) ?? readLogin(world)?.url ?? DEFAULT_URL);
}

/** The error does not repeat the address, because somebody may have put a password into it. */
function checkedUrl(given: string): string {
    try {
        return readBaseUrl(given);
    } catch {
        throw new CliError('The address of the service must look like https://credentials.example.');
    }
}

/** A client without credentials. */
export function anonymous(world: World, url: string | undefined, more: Partial<ClientOptions> = {}): Client {
    return createClient({ base_url: serviceUrl(world, url), tries: TRIES, ...more });
}

/** A client with the credentials of CRED_TOKEN or of the stored login. */
export async function openSession(
    world: World,
    url: string | undefined,
    more: Partial<ClientOptions> = {},
): Promise<Client> {
    const token = world.env['CRED_TOKEN'] || storedToken(world, serviceUrl(world, url));
    return anonymous(world, url, { ...more, token });
}

function storedToken(world: World, url: string): string {
    const login = readLogin(world);
    if (login === undefined) throw new CliError('You are not logged in. Run "cred login", or set CRED_TOKEN.');
    // A token that is sent to another service could be used there.
    const own = checkedUrl(login.url);
    if (own !== url) {
        throw new CliError(`You are logged in at ${own}. Run "cred login --url ${url}", or set CRED_TOKEN.`);
    }
    if (login.expires_at === undefined || Date.parse(login.expires_at) > Date.now()) return login.token;
    throw new CliError('Your session has expired. Run "cred login" again. A program should use an API key instead.');
}
