import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ClientConfig } from 'pg';
import { z } from 'zod';
import { partSchemaOf } from './part-schema.ts';

const PARAMETERS = ['sslmode', 'sslrootcert', 'application_name', 'schema'];
/** Both verify the certificate and its host name. verify-full is libpq's name for it. */
const VERIFYING = ['require', 'verify-full'];
const MODES = ['disable', 'no-verify', ...VERIFYING];

/** Where PostgreSQL is, and how to connect to it. */
type Connection = Pick<ClientConfig, 'host' | 'port' | 'user' | 'password' | 'database' | 'application_name' | 'ssl'>;

const databaseUrl = z.string().superRefine((text, context) => {
    try {
        connectionTo(text);
    } catch (error) {
        const message = error instanceof DatabaseUrlError ? error.message : 'has a wrong %-escape';
        context.addIssue({ code: 'custom', message });
    }
});

/** Validates DATABASE_URL when the program starts. The text stays as it is: `connectionTo` reads it. */
export const databaseUrlSetting = databaseUrl
    .refine((url) => schemaIn(url) === null, 'accepts no parameter schema; only the URLs of parts have it')
    .optional();

/** Maximum number of URLs in a list: the id of a row has a byte for the place of its database. Beyond it: refused. */
const MAX_URLS = 256;

/** Validates a list of databases, or schemas in them, over which the rows of a service are divided. */
export function databaseUrlsSetting(service: string) {
    const partUrl = databaseUrl.refine(
        (url) => schemaIn(url) === null || partSchemaOf(url)?.service === service,
        `must have as schema ${service}_1, ${service}_2, …`,
    );
    return z
        .string()
        .transform((text) => text.trim().split(/[\s,]+/))
        .pipe(z.array(partUrl))
        .refine((urls) => new Set(urls).size === urls.length, 'names a database twice')
        .refine(({ length }) => length <= MAX_URLS && isPowerOfTwo(length), `must have 1, 2, 4, … or ${MAX_URLS} URLs`)
        .optional();
}

/** The parameter `schema` of a URL, null without it. */
function schemaIn(url: string): string | null {
    return URL.canParse(url) ? new URL(url).searchParams.get('schema') : null;
}

function isPowerOfTwo(number: number): boolean {
    return (number & (number - 1)) === 0;
}

/** The message never repeats a part of the URL. */
class DatabaseUrlError extends Error {}

/**
 * Reads the URL of a database. Everything that connects to PostgreSQL uses this function, so that all of it connects to
 * the same server in the same way.
 */
export function connectionTo(text: string): Connection {
    if (!/^postgres(ql)?:/.test(text) || !URL.canParse(text))
        throw new DatabaseUrlError('must be a URL, postgresql://user:password@host:5432/database');
    const { hostname, port, username, password, pathname, searchParams, hash } = new URL(text);
    if (hostname === '')
        throw new DatabaseUrlError('must name a host; write the path of a socket as %2Frun%2Fpostgresql');
    if (hash !== '') throw new DatabaseUrlError('must have no fragment; write # in a password as %23');
    const names = Array.from(searchParams.keys());
    if (names.some((name) => !PARAMETERS.includes(name)) || new Set(names).size < names.length)
        throw new DatabaseUrlError(`accepts only the parameters ${PARAMETERS.join(', ')}, each once`);
    return {
        host: decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1'),
        port: Number(port || 5432),
        user: decodeURIComponent(username) || undefined,
        password: decodeURIComponent(password) || undefined,
        database: decodeURIComponent(pathname.slice(1)) || undefined,
        application_name: searchParams.get('application_name') ?? undefined,
        ssl: tlsOf(searchParams.get('sslmode') ?? 'disable', searchParams.get('sslrootcert')),
    };
}

function tlsOf(mode: string, authority: string | null): ClientConfig['ssl'] {
    if (!MODES.includes(mode)) throw new DatabaseUrlError(`sslmode must be one of ${MODES.join(', ')}`);
    if (VERIFYING.includes(mode)) return authority === null ? {} : { ca: certificateIn(authority) };
    if (authority !== null) throw new DatabaseUrlError(`sslrootcert needs sslmode=${VERIFYING.join(' or ')}`);
    return mode === 'no-verify' && { rejectUnauthorized: false };
}

function certificateIn(file: string): string {
    try {
        const ca = readFileSync(file, 'utf8');
        new X509Certificate(ca);
        return ca;
    } catch {
        throw new DatabaseUrlError('sslrootcert must name a file with certificates (PEM) that this process can read');
    }
}
