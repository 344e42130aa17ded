import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { rolesWithout } from '../../../support/members.ts';
import { startService } from '../../../support/service.ts';
import { until } from '../../../support/until.ts';

const logDir = mkdtempSync(join(tmpdir(), 'killed-erasure-'));
after(() => rmSync(logDir, { recursive: true }));

const bed = await startService({
    transport: 'grpc',
    gateways: 1,
    groups: [rolesWithout('identity')],
    // npm test sets all three
    adminUrl: process.env['TEST_ADMIN_URL'] as string,
    databaseUrl: process.env['TEST_DATABASE_URL'] as string,
    redisUrl: process.env['TEST_REDIS_URL'] as string,
    logDir,
    settings: { DATABASE_POOL: '4', SIGNATURE_THREADS: '1', PASSWORD_THREADS: '1' },
});
after(() => bed.stop());
Object.assign(process.env, bed.env); // before the client of the end-to-end tests is loaded
const { GATEWAYS } = await import('../../../e2e/support/client.ts');
const { newAccount, newDid, newKey } = await import('../../../e2e/support/world.ts');

interface Use {
    method?: string;
    path: string;
    token: string;
    body?: object;
}

/** The status of the answer, which may be 503 here. */
async function statusOf({ method = 'GET', path, token, body }: Use): Promise<number> {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${GATEWAYS[0]}${path}`, sent);
    await response.text();
    return response.status;
}

/** Waits until the gateway reaches identity again, and asserts that these are the statuses of both uses. */
async function assertUses({ session, key }: { session: Use; key: Use }, expected: number[]): Promise<void> {
    await until('the gateway reaches identity', async () => (await statusOf(session)) !== 503);
    assert.deepEqual(await Promise.all([session, key].map(statusOf)), expected);
}

/** Opens a connection as the service, for its locks. */
async function connection(): Promise<Client> {
    const client = new Client({ connectionString: bed.env['E2E_DATABASE_URL'] });
    client.on('error', () => {}); // the database is dropped before the connection is closed
    await client.connect();
    after(() => client.end());
    return client;
}

const [watcher, locking] = [await connection(), await connection()];

async function count(query: string, values: string[]): Promise<number> {
    return (await watcher.query(`SELECT count(*)::int AS count FROM ${query}`, values)).rows[0].count;
}

/** An account with a key, whose deletion waits for a row of this table. */
async function stoppedDeletion(table: string, column: string) {
    const account = await newAccount();
    const { user_id, token, password } = account;
    const { api_key } = await newKey(account);
    const { did } = await newDid(token);
    await locking.query('BEGIN');
    await locking.query(`SELECT FROM ${table} WHERE ${column} = $1 FOR UPDATE`, [user_id]);
    const body = { password, confirm: 'delete' };
    const cut = statusOf({ method: 'DELETE', path: '/v1/me', token, body });
    const [session, key] = [
        { path: '/v1/me', token },
        { path: `/v1/did/${did}`, token: api_key },
    ];
    return { user_id, session, key, cut };
}

/** Kills the process of identity, and the statements that wait for a lock. */
async function killIdentity(): Promise<void> {
    const index = bed.ops.findIndex(({ role }) => role === 'identity');
    const restarted = bed.restart(index, 'SIGKILL');
    await watcher.query(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()`);
    await restarted;
    await locking.query('ROLLBACK');
}

/** Asserts that the service ends the erasure by itself. The time between its steps seems to be over. */
async function assertErased(erased: Awaited<ReturnType<typeof stoppedDeletion>>): Promise<void> {
    const { user_id } = erased;
    await until('the account is erased', async () => {
        await watcher.query(
            `UPDATE identity.erasures
             SET requested_at = requested_at - interval '1 minute', ended_at = ended_at - interval '1 minute'
             WHERE account = $1`,
            [user_id],
        );
        return (await count('identity.erasures WHERE account = $1 AND finished_at IS NOT NULL', [user_id])) === 1;
    });
    await assertUses(erased, [401, 401]);
    const left = ['identity.users WHERE user_id', 'identity.sessions WHERE user_id', 'keys.keys WHERE account'];
    for (const rows of [...left, 'did.dids WHERE account'])
        assert.equal(await count(`${rows} = $1`, [user_id]), 0, rows);
}

test('a deletion ends complete if identity is killed before the API keys have ended', async () => {
    const stopped = await stoppedDeletion('keys.accounts', 'account');
    const { user_id } = stopped;
    const isDecided = async () => (await count('identity.erasures WHERE account = $1', [user_id])) === 1;
    await until('the deletion is decided', isDecided);
    await killIdentity();
    assert.equal(await stopped.cut, 503);
    await assertUses(stopped, [200, 200]);
    await assertErased(stopped);
});

test('a deletion ends complete if identity is killed when the API keys have ended, and not the account', async () => {
    const stopped = await stoppedDeletion('identity.sessions', 'user_id');
    const { user_id } = stopped;
    await until('the keys have ended', async () => (await count('keys.keys WHERE account = $1', [user_id])) === 0);
    await killIdentity();
    assert.equal(await stopped.cut, 503);
    await assertUses(stopped, [200, 401]);
    await assertErased(stopped);
});
