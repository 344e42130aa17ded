import { Client, type ClientConfig } from 'pg';
import { connectionTo } from './database-url.ts';

/**
 * Times in answers must have one form, whatever the role, the database or the server sets. PgBouncer refuses most
 * parameters of a start-up message, but keeps these two settings for each of its clients.
 */
const SETTINGS = `SET TimeZone = 'UTC'; SET DateStyle = 'ISO'`;

/** Connects, and gives the session the settings on which all code relies. `more`: a statement that sets further ones. */
export async function connectSession(client: Client, more = ''): Promise<void> {
    await client.connect();
    await client.query(`${SETTINGS}; ${more}`);
}

/**
 * Time limit for a query that only looks at the database, in milliseconds. The migrations have none. Beyond it: the
 * process repeats it.
 */
export const LOOK_TIMEOUT_MS = 10_000;
/** Time limit for a migration or a start to connect, in milliseconds. Beyond it: the attempt fails. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Runs `work` on a connection of its own to the database of this URL. */
export async function withSession<Result>(
    url: string,
    options: Pick<ClientConfig, 'query_timeout'>,
    work: (client: Client) => Promise<Result>,
): Promise<Result> {
    const client = new Client({
        ...connectionTo(url),
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        ...options,
    });
    client.on('error', () => {}); // a lost connection: its pending queries are rejected
    try {
        await connectSession(client);
        return await work(client);
    } finally {
        await client.end();
    }
}
