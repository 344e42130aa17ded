import { after } from 'node:test';
import { Client } from 'pg';

/** A connection to the database of the service under test, for what no client could do: make things old. */
export async function database(): Promise<Client> {
    const client = new Client({ connectionString: process.env['E2E_DATABASE_URL'] });
    await client.connect();
    after(() => client.end());
    return client;
}
