import { LOOK_TIMEOUT_MS, withSession } from '../../../platform/postgres/session.ts';
import { Problem } from '../problem.ts';

/** Throws Problem if the database cannot be used, so that the start fails early. */
export async function checkDatabase(url: string): Promise<void> {
    try {
        await withSession(url, { query_timeout: LOOK_TIMEOUT_MS }, async () => {});
    } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException; // pg throws system errors and its own
        throw new Problem(`The database of DATABASE_URL, at ${hostOf(url)}, cannot be used: ${message || code}.`);
    }
}

/** The host in the URL, without user and password. */
function hostOf(url: string): string {
    return URL.canParse(url) ? new URL(url).host : 'an address that is not a URL';
}
