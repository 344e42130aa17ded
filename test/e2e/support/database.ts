import { after } from 'node:test';
import { Client } from 'pg';

/** Connects to the database of the tested service, for changes that no client can make, such as older timestamps. */
export async function database(): Promise<Client> {
    const client = new Client({ connectionString: process.env['E2E_DATABASE_URL'] });
    await client.connect();
    after(() => client.end());
    return client;
}
