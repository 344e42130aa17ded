import { Client } from 'pg';
import { newId } from '../../../platform/ids.ts';
import { times } from '../jobs/job.ts';
import { CREDENTIAL_TYPE, newSigner, type Signer, SUBJECT } from '../tokens.ts';
import type { Rounds } from './part.ts';

/** Plain pg with prepared statements in groups, on tables and indexes of the service's own shape. */

type RowPart = 'credential_row' | 'did_row' | 'presentation_row' | 'find' | 'page';

const GROUP = 32;
const IN_FLIGHT = 2;
/** Issuers with a page of credentials each. */
const ISSUERS = 400;
const PAGE = 25;

const TABLES = ['credentials.credentials', 'did.dids', 'presentations.presentations', 'usage.deltas'];

/** A column's type in PostgreSQL, and its value in a new row. */
type Column = readonly [string, () => unknown];

const id: Column = ['uuid', newId];
const time: Column = ['timestamptz', () => new Date().toISOString()];

export async function rowParts(database_url: string): Promise<Record<RowPart, Rounds> & AsyncDisposable> {
    const clients = times(IN_FLIGHT, () => new Client({ connectionString: database_url }));
    await Promise.all(clients.map((client) => client.connect()));
    const [setup] = clients as [Client, ...Client[]]; // there are two
    await setup.query('CREATE SCHEMA IF NOT EXISTS floor');
    for (const table of TABLES) {
        const copy = `floor.${table.split('.')[1]}`;
        await setup.query(`CREATE TABLE IF NOT EXISTS ${copy} (LIKE ${table} INCLUDING ALL)`);
    }
    let next = 0;
    const accounts = times(64, newId);
    const account: Column = ['uuid', () => accounts[next++ % accounts.length]];
    // Many DIDs at hand: making one costs as much as storing it.
    const signers = times(1_024, newSigner);
    const someSigner = (): Signer => signers[next++ % signers.length] as Signer; // there are 1,024
    const run = (name: string, text: string, values: () => unknown[], per_round: number): Rounds => {
        let turn = 0;
        return {
            per_round,
            in_flight: IN_FLIGHT,
            async round() {
                await clients[turn++ % IN_FLIGHT]?.query({ name, text, values: values() });
            },
        };
    };
    const insert = (table: string, columns: Record<string, Column>): Rounds =>
        run(table, insertStatement(table, columns), () => columnsOf(columns), GROUP);
    const issuers = await pagesOfCredentials(setup);
    const issuer = (index: number): string => issuers[index % ISSUERS] as string; // there are as many
    return {
        credential_row: insert('credentials', {
            id,
            account,
            issued_at: time,
            expires_at: ['timestamptz', () => null],
            issuer: ['text', () => someSigner().did],
            subject: ['text', () => SUBJECT],
            credential_type: ['text', () => CREDENTIAL_TYPE],
        }),
        did_row: insert('dids', {
            did: ['text', () => `${someSigner().did}${newId()}`], // the key of the table: never twice
            public_key: ['bytea', () => Buffer.from(someSigner().public_key)],
            account,
            origin: ['text', () => 'generated'],
            created_at: time,
        }),
        presentation_row: insert('presentations', {
            id,
            account,
            created_at: time,
            credentials_count: ['int2', () => 3],
            holder: ['text', () => someSigner().did],
            audience: ['text', () => SUBJECT],
        }),
        find: run('find', 'SELECT * FROM floor.credentials WHERE id = ANY($1::uuid[])', await knownIds(setup), GROUP),
        page: run(
            'page',
            'SELECT * FROM floor.credentials WHERE issuer = $1 ORDER BY id DESC LIMIT 26',
            () => [issuer(next++)],
            1,
        ),
        async [Symbol.asyncDispose]() {
            await setup.query('DROP SCHEMA floor CASCADE');
            await Promise.all(clients.map((client) => client.end()));
        },
    };
}

/** The rows, and what is counted for their accounts, in one statement. */
function insertStatement(table: string, columns: Record<string, Column>): string {
    const parameters = Object.values(columns).map(([type], index) => `$${index + 1}::${type}[]`);
    return `
        WITH written AS (
            INSERT INTO floor.${table} (${Object.keys(columns)}) SELECT * FROM unnest(${parameters}) RETURNING account
        )
        INSERT INTO floor.deltas (account, kind, day, amount)
        SELECT account, 'rows', current_date, count(*) FROM written GROUP BY account`;
}

/** A new group of rows, column by column. */
function columnsOf(columns: Record<string, Column>): unknown[][] {
    return Object.values(columns).map(([, value]) => times(GROUP, value));
}

async function pagesOfCredentials(db: Client): Promise<string[]> {
    const issuers = times(ISSUERS, () => newSigner().did);
    const owners = issuers.flatMap((did) => times(PAGE, () => did));
    await db.query(
        `INSERT INTO floor.credentials (id, issued_at, issuer, subject, credential_type)
         SELECT id, now(), issuer, $3, $4 FROM unnest($1::uuid[], $2::text[]) AS new (id, issuer)`,
        [owners.map(() => newId()), owners, SUBJECT, CREDENTIAL_TYPE],
    );
    await db.query('ANALYZE floor.credentials');
    return issuers;
}

/** Gives groups of ids of rows that are there. */
async function knownIds(db: Client): Promise<() => unknown[]> {
    const { rows } = await db.query<{ id: string }>('SELECT id FROM floor.credentials');
    let next = 0;
    return () => [times(GROUP, () => rows[next++ % rows.length]?.id)];
}
