import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { migrate } from '../../../platform/postgres/migrate.ts';
import { SCHEMAS } from '../../../services/schemas.ts';
import { emptyDatabase, quiet } from '../../support/harness.ts';

/** More than one batch of accounts. */
const ACCOUNTS = 250;

const directory = mkdtempSync(join(tmpdir(), 'migrations-'));
after(() => rmSync(directory, { recursive: true }));

/** The schemas without the migrations that count for quotas. */
const before = SCHEMAS.map(({ schema, folder }) => {
    const copies = mkdtempSync(join(directory, `${schema}-`));
    for (const file of readdirSync(folder)) {
        if (!file.includes('quota')) copyFileSync(join(folder, file), join(copies, file));
    }
    return { schema, folder: copies };
});

const account = (n: string) => `md5('account' || ${n})::uuid`;

/** Writes DIDs, keys, wallets and credentials of the accounts, and DIDs without an account. $1 is the first id. */
const WRITE = [
    `INSERT INTO did.dids SELECT 'did:' || n, '', ${account(`n % ${ACCOUNTS}`)},
        (ARRAY['generated', 'registered', 'wallet'])[1 + n % 3], now() FROM generate_series($1::int, $1 + 999) n`,
    `INSERT INTO did.dids SELECT 'did:nobody:' || n, '', NULL, 'generated', now() FROM generate_series($1::int, $1 + 9) n`,
    `INSERT INTO keys.keys SELECT md5('key' || n)::uuid, ${account(`n % ${ACCOUNTS}`)}, ('key' || n)::bytea, 'm', 'n', 'free',
        now(), now(), CASE WHEN n % 2 = 0 THEN now() END FROM generate_series($1::int, $1 + 999) n`,
    `INSERT INTO wallet.wallets SELECT md5('wallet' || n)::uuid, ${account(`n % ${ACCOUNTS}`)}, now(), '', 1, 1, '', '', ''
        FROM generate_series($1::int, $1 + 499) n`,
    `INSERT INTO wallet.credentials SELECT md5('wallet' || n)::uuid, md5('c' || n || '-' || i)::uuid,
        md5('e' || n || '-' || i)::uuid, now(), '', decode(repeat('00', 10 * i), 'hex')
        FROM generate_series($1::int, $1 + 499) n, generate_series(1, 1 + n % 4) i`,
];
const ACCOUNT_ROWS = `INSERT INTO keys.accounts (account, active_keys)
    SELECT account, count(*) FILTER (WHERE revoked_at IS NULL) FROM keys.keys GROUP BY account ON CONFLICT DO NOTHING`;

async function connect(url: string): Promise<Client> {
    const client = new Client({ connectionString: url });
    await client.connect();
    return client;
}

async function write(client: Client, from: number): Promise<void> {
    for (const statement of WRITE) await client.query(statement, [from]);
}

/** Queries for the accounts whose counts differ from their rows. */
const WRONG = {
    keys: `SELECT account FROM (SELECT account, count(*) AS all_keys FROM keys.keys GROUP BY account) AS r
        FULL JOIN keys.accounts AS a USING (account) WHERE r.all_keys IS DISTINCT FROM a.all_keys`,
    wallet: `SELECT account FROM (
            SELECT w.account, count(DISTINCT w.id) AS wallets, count(c.wallet) AS credentials,
                   coalesce(sum(octet_length(c.sealed)), 0) AS bytes
            FROM wallet.wallets AS w LEFT JOIN wallet.credentials AS c ON c.wallet = w.id GROUP BY w.account) AS r
        FULL JOIN wallet.accounts AS a USING (account)
        WHERE (r.wallets, r.credentials, r.bytes) IS DISTINCT FROM (a.wallets, a.credentials, a.bytes)`,
};

async function expectRight(client: Client): Promise<void> {
    for (const [schema, query] of Object.entries(WRONG)) {
        const { rows } = await client.query(query);
        assert.deepEqual(rows, [], schema);
    }
}

test('the migration counts existing rows, and those that the previous release writes while it runs', async () => {
    const url = await emptyDatabase();
    await migrate(url, { schemas: before, log: quiet });
    const [client, other] = [await connect(url), await connect(url)];
    await write(client, 0);
    await client.query(ACCOUNT_ROWS);
    let isOver = false;
    const writing = (async () => {
        // Runs one statement after the other, without a transaction, as long as the migration runs.
        for (let from = 10_000; !isOver; from += 1_000) {
            await write(other, from);
            await other.query(`DELETE FROM wallet.credentials WHERE credential IN (
                SELECT credential FROM wallet.credentials ORDER BY credential LIMIT 20)`);
        }
    })();
    await migrate(url, { schemas: SCHEMAS, log: quiet }).finally(() => {
        isOver = true;
    });
    await writing;
    await expectRight(client);

    await write(client, 5_000_000);
    await client.query(`UPDATE wallet.credentials SET sealed = sealed || '\\x0102' WHERE get_byte(sealed, 0) = 0`);
    await client.query('DELETE FROM wallet.credentials WHERE octet_length(sealed) > 30');
    await expectRight(client);
    const leftovers = await client.query(`SELECT relname FROM pg_class WHERE relname = 'recounted'`);
    assert.equal(leftovers.rowCount, 0);
    await Promise.all([client.end(), other.end()]);
});
