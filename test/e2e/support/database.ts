import { after } from 'node:test';
import { Client } from 'pg';
import { inPartSchema, partSchemaOf } from '../../../platform/postgres/part-schema.ts';
import { SERVICE_ROLES, type ServiceRole } from '../../../proto/services.ts';
import { partOfId, partOfIssuer } from '../../../services/credentials/parts/part-map.ts';

/** The URL of the database with the schema of `role` of the tested service. Of credentials it is that of part 0. */
export function databaseUrlOf(role: ServiceRole): string {
    const { E2E_DATABASE_URL = '', ...others } = process.env;
    const [part] = role === 'credentials' ? parts() : [];
    return part ?? others[`E2E_DATABASE_URL_${role.toUpperCase()}`] ?? E2E_DATABASE_URL;
}

/** Connects to the database of `role`, for changes that no client can make, such as older timestamps. */
export function database(role: ServiceRole): Promise<Client> {
    return connected(databaseUrlOf(role));
}

/** The URLs of all databases of the tested service. */
export function databaseUrls(): Set<string> {
    return new Set([...SERVICE_ROLES.map(databaseUrlOf), ...parts()]);
}

/** Connects to the database with the credentials of an issuer, or with the credential of a UUID. */
export function credentialsOf(of: { issuer: string } | { id: string }): Promise<Client> {
    const count = Math.max(1, parts().length);
    const part =
        'issuer' in of ? partOfIssuer(of.issuer, count) : partOfId(of.id, { count, counts: [count], since: 0 });
    return connected(parts()[part] ?? databaseUrlOf('credentials'));
}

/** The databases over which the credentials of the tested service are divided. Empty if they are not. */
function parts(): string[] {
    const { E2E_CREDENTIAL_PARTS: urls = '' } = process.env;
    return urls === '' ? [] : urls.split(',');
}

/** Connects to one of these. If it is the schema of a part, statements name that of the service, like its own. */
export async function connected(connectionString: string): Promise<Client> {
    const client = new Client({ connectionString });
    await client.connect();
    const part = partSchemaOf(connectionString);
    if (part) {
        const query = client.query.bind(client);
        const renamed = inPartSchema(part);
        client.query = (async (text: string, values?: unknown[]) =>
            query(renamed(text), values)) as typeof client.query;
    }
    after(() => client.end());
    return client;
}
