import pg from 'pg';
import { Problem } from '../problem.ts';

/** Time limit for the database's answer, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Fails the start early if the database cannot be used. */
export async function checkDatabase(url: string): Promise<void> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS });
    client.on('error', () => undefined); // the connection is closed below, whatever becomes of it
    try {
        await client.connect();
    } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException; // pg throws system errors and its own
        throw new Problem(`The database of DATABASE_URL, at ${hostOf(url)}, cannot be used: ${message || code}.`);
    } finally {
        await client.end().catch(() => undefined);
    }
}

/** Without user and password. */
function hostOf(url: string): string {
    return URL.canParse(url) ? new URL(url).host : 'an address that is no URL';
}
