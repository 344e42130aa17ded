import { DatabaseError } from 'pg';
import type { Database } from '../postgres/db.ts';
import { LOOK_TIMEOUT_MS, withSession } from '../postgres/session.ts';
import { reasonOf, StartError } from '../start-error.ts';
import type { Log } from '../telemetry/log.ts';
import { retry } from './retry.ts';

/** SQLSTATE classes of refusals that waiting does not change: 28 authorization, 3D no such database, 42501 a right. */
const FINAL = /^(28|3D|42501)/;
/** Codes with which Node refuses a certificate. */
const CERTIFICATE = /CERT|^ERR_TLS|^UNABLE_TO_/;

interface Wanted {
    url: string;
    /** The role must own the database, as the migrations need it. */
    asOwner: boolean;
}

/**
 * Waits until PostgreSQL can be used, for at most `timeoutMs`. Throws StartError if it cannot, at once if waiting would
 * not change that. Resolves to whether the database is distributed: whether it has the extension Citus.
 */
export function awaitPostgres(
    options: Wanted & { log: Log; timeoutMs: number },
): Promise<Pick<Database, 'distributed'>> {
    const end = performance.now() + options.timeoutMs;
    const giveUp = (cause: unknown) => {
        if (isFinal(cause) || performance.now() > end)
            throw new StartError('database', `The database cannot be used: ${reasonOf(cause)}`, { cause });
    };
    return retry(() => requireUsable(options), { log: options.log, giveUp });
}

async function requireUsable({ url, asOwner }: Wanted): Promise<Pick<Database, 'distributed'>> {
    const { rows } = await withSession(url, { query_timeout: LOOK_TIMEOUT_MS }, (client) =>
        client.query<{ encoding: string; owns: boolean; role: string; distributed: boolean }>(
            `SELECT pg_encoding_to_char(encoding) AS encoding, pg_has_role(datdba, 'USAGE') AS owns,
                    current_user AS role,
                    EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS distributed
             FROM pg_database WHERE datname = current_database()`,
        ),
    );
    for (const { encoding, owns, role } of rows) {
        if (encoding !== 'UTF8')
            throw new Unsuitable(`its encoding is ${encoding}; create it with ENCODING 'UTF8' TEMPLATE template0.`);
        if (asOwner && !owns) throw new Unsuitable(`the role ${role} does not own it; use the role that does.`);
    }
    return { distributed: rows.some(({ distributed }) => distributed) };
}

/** The database can be reached, but is not one that the service can work with. */
class Unsuitable extends Error {}

/** True if only somebody who changes the settings or the server can help. */
function isFinal(error: unknown): boolean {
    if (error instanceof Unsuitable) return true;
    if (error instanceof DatabaseError) return FINAL.test(error.code ?? '');
    if (!Error.isError(error)) return false;
    const code = 'code' in error ? String(error.code) : '';
    return CERTIFICATE.test(code) || /does not support SSL|certificate/.test(error.message);
}
