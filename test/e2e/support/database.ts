import { after } from 'node:test';
import { Client } from 'pg';
import type { ServiceRole } from '../../../proto/services.ts';

/** The URL of the database with the schema of `role` of the tested service. */
export function databaseUrlOf(role: ServiceRole): string {
    const { E2E_DATABASE_URL = '', ...others } = process.env;
    return others[`E2E_DATABASE_URL_${role.toUpperCase()}`] ?? E2E_DATABASE_URL;
}

/** Connects to the database of `role`, for changes that no client can make, such as older timestamps. */
export async function database(role: ServiceRole): Promise<Client> {
    const client = new Client({ connectionString: databaseUrlOf(role) });
    await client.connect();
    after(() => client.end());
    return client;
}
