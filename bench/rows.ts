import type { Client } from 'pg';
import { CREDENTIAL_TYPE, type Credential, SUBJECT } from './tokens.ts';

/**
 * Writes the rows that must exist before a run directly to the database. Making them through the service would take
 * longer than the rest of the run.
 */

interface DidRow {
    did: string;
    public_key: Uint8Array;
    account: string;
}

const CHUNK = 5_000;

export async function insertDids(db: Client, rows: readonly DidRow[]): Promise<void> {
    for (let start = 0; start < rows.length; start += CHUNK) {
        const chunk = rows.slice(start, start + CHUNK);
        await db.query(
            `INSERT INTO did.dids (did, public_key, account, origin, created_at)
             SELECT *, 'generated', now() FROM unnest($1::text[], $2::bytea[], $3::uuid[])`,
            [
                chunk.map(({ did }) => did),
                chunk.map(({ public_key }) => Buffer.from(public_key)),
                chunk.map(({ account }) => account),
            ],
        );
    }
}

export async function insertCredentials(
    db: Client,
    rows: ReadonlyArray<Omit<Credential, 'token'> & { account: string }>,
): Promise<void> {
    for (let start = 0; start < rows.length; start += CHUNK) {
        const chunk = rows.slice(start, start + CHUNK);
        await db.query(
            `INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type)
             SELECT *, $5, $6 FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[])`,
            [
                chunk.map(({ id }) => id),
                chunk.map(({ account }) => account),
                chunk.map(({ issued_at }) => issued_at),
                chunk.map(({ issuer }) => issuer),
                SUBJECT,
                CREDENTIAL_TYPE,
            ],
        );
    }
}
