import { Client } from 'pg';
import { newId } from '../../platform/ids.ts';
import { times } from '../jobs/job.ts';
import { CREDENTIAL_TYPE, newSigner, SUBJECT } from '../tokens.ts';
import type { Rounds } from './part.ts';

/**
 * Rows written and read with plain pg: prepared statements for batches of rows, on tables with the columns and indexes
 * of the service's own.
 */

type RowPart = 'credential_row' | 'did_row' | 'presentation_row' | 'find' | 'page';

const GROUP = 32;
const IN_FLIGHT = 2;
/** Number of issuers. Each has a page of credentials. */
const ISSUERS = 400;
const PAGE = 25;
/** Reads what a list shows. */
const PAGES = `
    SELECT page.* FROM unnest($1::text[]) AS asked (issuer) CROSS JOIN LATERAL (
        SELECT id, issued_at, expires_at, revoked_at IS NOT NULL, issuer, subject, credential_type FROM floor.credentials
        WHERE issuer = asked.issuer ORDER BY id DESC LIMIT 26
    ) AS page`;
/** Leaves values in the text form in which PostgreSQL sends them. */
const AS_TEXT = { getTypeParser: () => (text: string) => text };

const TABLES = ['credentials.credentials', 'did.dids', 'presentations.presentations', 'usage.deltas'];

/** A column's type in PostgreSQL, and its value in a new row. */
type Column = readonly [string, () => unknown];

/**
 * Returns a function that gives the values in turn, again and again. Making a new value for each row would cost as much
 * as storing it.
 */
function inTurn<Value>(values: readonly Value[]): () => Value {
    let next = 0;
    return () => values[next++ % values.length] as Value; // the list is not empty
}

const someSigner = inTurn(times(1_024, newSigner));
const id: Column = ['uuid', newId];
const account: Column = ['uuid', inTurn(times(64, newId))];
const time: Column = ['timestamptz', () => new Date().toISOString()];
const did: Column = ['text', () => someSigner().did];
const subject: Column = ['text', () => SUBJECT];

const CREDENTIAL: Record<string, Column> = {
    id,
    account,
    issued_at: time,
    expires_at: ['timestamptz', () => null],
    issuer: did,
    subject,
    credential_type: ['text', () => CREDENTIAL_TYPE],
};
const DID: Record<string, Column> = {
    did: ['text', () => `${someSigner().did}${newId()}`], // the primary key, so each is new
    public_key: ['bytea', () => Buffer.from(someSigner().public_key)],
    account,
    origin: ['text', () => 'generated'],
    created_at: time,
};
const PRESENTATION: Record<string, Column> = {
    id,
    account,
    created_at: time,
    credentials_count: ['int2', () => 3],
    holder: did,
    audience: subject,
};

export async function rowParts(databaseUrl: string): Promise<Record<RowPart, Rounds>> {
    const clients = times(IN_FLIGHT, () => new Client({ connectionString: databaseUrl, types: AS_TEXT }));
    await Promise.all(clients.map((client) => client.connect()));
    const [setup] = clients as [Client, ...Client[]]; // there are two
    await createTables(setup);
    const issuers = await insertPages(setup);
    const ids = await knownIds(setup);
    let turn = 0;
    const run = (name: string, text: string, values: () => unknown[], perRound: number): Rounds => ({
        perRound,
        inFlight: IN_FLIGHT,
        async round() {
            await clients[turn++ % IN_FLIGHT]?.query({ name, text, values: values() });
        },
    });
    const insert = (table: string, columns: Record<string, Column>): Rounds =>
        run(table, insertStatement(table, columns), () => columnsOf(columns), GROUP);
    return {
        credential_row: insert('credentials', CREDENTIAL),
        did_row: insert('dids', DID),
        presentation_row: insert('presentations', PRESENTATION),
        find: run(
            'find',
            'SELECT * FROM floor.credentials WHERE id = ANY($1::uuid[])',
            () => [times(GROUP, ids)],
            GROUP,
        ),
        page: run('page', PAGES, () => [times(GROUP, issuers)], GROUP),
    };
}

async function createTables(db: Client): Promise<void> {
    await db.query('CREATE SCHEMA floor');
    for (const table of TABLES) {
        await db.query(`CREATE TABLE floor.${table.split('.')[1]} (LIKE ${table} INCLUDING ALL)`);
    }
}

/** Writes the rows and the pending counts of their accounts in one statement. */
function insertStatement(table: string, columns: Record<string, Column>): string {
    const parameters = Object.values(columns).map(([type], index) => `$${index + 1}::${type}[]`);
    return `
        WITH written AS (
            INSERT INTO floor.${table} (${Object.keys(columns)}) SELECT * FROM unnest(${parameters}) RETURNING account
        )
        INSERT INTO floor.deltas (account, kind, day, amount)
        SELECT account, 'rows', current_date, count(*) FROM written GROUP BY account`;
}

/** Returns a new batch of rows, column by column. */
function columnsOf(columns: Record<string, Column>): unknown[][] {
    return Object.values(columns).map(([, value]) => times(GROUP, value));
}

/** Inserts a page of credentials for each issuer. Returns a function that gives the issuers in turn. */
async function insertPages(db: Client): Promise<() => string> {
    const issuers = times(ISSUERS, () => newSigner().did);
    const owners = issuers.flatMap((issuer) => times(PAGE, () => issuer));
    await db.query(
        `INSERT INTO floor.credentials (id, issued_at, issuer, subject, credential_type)
         SELECT id, now(), issuer, $3, $4 FROM unnest($1::uuid[], $2::text[]) AS new (id, issuer)`,
        [owners.map(() => newId()), owners, SUBJECT, CREDENTIAL_TYPE],
    );
    await db.query('ANALYZE floor.credentials');
    return inTurn(issuers);
}

/** Returns a function that gives the ids of the existing rows in turn. */
async function knownIds(db: Client): Promise<() => string> {
    const { rows } = await db.query<{ id: string }>('SELECT id FROM floor.credentials');
    return inTurn(rows.map((row) => row.id));
}
