import type { Interceptor } from 'slonik';

/**
 * The rows of a service may be divided over several schemas of one database, such as the nodes of a Citus have. The URL
 * then names the schema of the part: `…/database?schema=credentials_1`. All statements are written for the schema of the
 * service; on a database with such a URL, this puts the schema of the part in its place. Values are never in the text of
 * a statement, and literals in it are passed over, so neither is changed. Pools of other URLs have nothing of this.
 *
 * A search_path instead cannot be: several services share a pool and have tables of one name (outbox, idempotency), and
 * poolers that assign a connection for each transaction do not keep it.
 */
export interface PartSchema {
    /** The schema that statements and migrations name, which is the name of the service. */
    service: string;
    /** The schema that the part has in its place. */
    schema: string;
}

/** The name of its service, and a number. */
const NAME = /^([a-z]+)_[1-9]\d{0,2}$/;

/** Returns the schema of a part that this URL names, or undefined. */
export function partSchemaOf(url: string): PartSchema | undefined {
    const [schema, service] = NAME.exec(new URL(url).searchParams.get('schema') ?? '') ?? [];
    return schema !== undefined && service !== undefined ? { service, schema } : undefined;
}

/** The schema of the service in front of a name. Literals, comments and other quoted names, which stay as they are. */
const patternOf = (service: string) =>
    new RegExp(`(?<![\\w."$])("?)${service}\\1\\.(?=[a-z"])|'(?:[^']|'')*'|"[^"]*"|--[^\\n]*|/\\*[^]*?\\*/`, 'g');

/** Returns a function from the text of a statement or migration to that with the schema of the part. */
export function inPartSchema({ service, schema }: PartSchema): (text: string) => string {
    const pattern = patternOf(service);
    return (text) =>
        text.replace(pattern, (found) => (found.endsWith('.') && /^["a-z]/.test(found) ? `"${schema}".` : found));
}

/** Gives every statement of a pool the schema of the part. */
export function partSchemaInterceptor(part: PartSchema): Interceptor {
    const renamed = inPartSchema(part);
    return { name: 'schema of a part', transformQuery: (_context, query) => ({ ...query, sql: renamed(query.sql) }) };
}
