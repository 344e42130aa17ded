import type { Client } from 'pg';

/**
 * Times in answers must have one form, whatever the role, the database or the server sets. PgBouncer refuses most
 * parameters of a start-up message, but keeps these two settings for each of its clients.
 */
const SETTINGS = `SET TimeZone = 'UTC'; SET DateStyle = 'ISO'`;

/** Connects, and gives the session the settings on which all code relies. */
export async function connectSession(client: Client): Promise<void> {
    await client.connect();
    await client.query(SETTINGS);
}
