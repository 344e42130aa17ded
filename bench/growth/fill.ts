import { Client } from 'pg';
import { newId } from '../../platform/ids.ts';

/**
 * Stores credentials as a year of use would: the ids are in the order of time, and the rows of one issuer are far
 * apart.
 */

const YEAR_MS = 365 * 86_400_000;
const PER_ISSUER = 25;
const CHUNK = 50_000;

/** Returns the UUID of a credential that was issued at a random time in the last year. */
export function pastId(): string {
    return newId(Date.now() - Math.floor(Math.random() * YEAR_MS));
}

/** Adds rows of many issuers until there are `size` rows. */
export async function fillCredentials(db: Client, size: number, accounts: readonly string[]): Promise<void> {
    const { rows } = await db.query<{ count: string }>('SELECT count(*) FROM credentials.credentials');
    const missing = size - Number(rows[0]?.count);
    const issuers = Math.ceil(size / PER_ISSUER);
    for (let done = 0; done < missing; done += CHUNK) {
        const last = Math.min(done + CHUNK, missing) - 1;
        await db.query(
            `INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type)
             SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n || 'a'), 1, 3) || '8' || substr(md5(n || 'b'), 1, 15))::uuid,
                    ($5::uuid[])[1 + n % $6], to_timestamp(ms / 1000.0),
                    'did:key:z6Mk' || substr(md5('a' || n % $7) || md5('b' || n % $7), 1, 44),
                    'did:web:' || md5('s' || n) || '.example', 'EmploymentCredential'
             FROM (SELECT n, $3::bigint + n * $4::bigint AS ms FROM generate_series($1::int, $2::int) AS n) AS new`,
            [done, last, Date.now() - YEAR_MS, Math.floor(YEAR_MS / missing), accounts, accounts.length, issuers],
        );
    }
    // The database would do this later by itself, perhaps during a measurement.
    await db.query('VACUUM ANALYZE');
}

/**
 * Makes PostgreSQL write everything to disk now, so that it does not do so during a measurement. Only a superuser may.
 */
export async function writeOut(adminUrl: string): Promise<void> {
    const admin = new Client({ connectionString: adminUrl });
    await admin.connect();
    await admin.query('CHECKPOINT').finally(() => admin.end());
}

/** Adds `count` credentials of one issuer. */
export async function fillIssuer(db: Client, issuer: string, account: string, count: number): Promise<void> {
    await db.query(
        `INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type)
         SELECT gen_random_uuid(), $1, now(), $2, 'did:web:subject-' || n || '.example', 'EmploymentCredential'
         FROM generate_series(1, $3::int) AS n`,
        [account, issuer, count],
    );
    await db.query('VACUUM ANALYZE credentials.credentials');
}

/** Removes the credentials whose ids are later than `firstId`. */
export async function removeSince(db: Client, firstId: string): Promise<void> {
    await db.query('DELETE FROM credentials.credentials WHERE id > $1', [firstId]);
    await db.query('VACUUM credentials.credentials');
}
