import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { rolesWithout } from '../../../support/members.ts';
import { startService } from '../../../support/service.ts';
import { until } from '../../../support/until.ts';

const logDir = mkdtempSync(join(tmpdir(), 'killed-exchange-'));
after(() => rmSync(logDir, { recursive: true }));

const bed = await startService({
    transport: 'grpc',
    gateways: 1,
    groups: [rolesWithout('exchange')],
    // npm test sets all three
    adminUrl: process.env['TEST_ADMIN_URL'] as string,
    databaseUrl: process.env['TEST_DATABASE_URL'] as string,
    redisUrl: process.env['TEST_REDIS_URL'] as string,
    logDir,
    settings: { DATABASE_POOL: '4', SIGNATURE_THREADS: '1', PASSWORD_THREADS: '1' },
});
after(() => bed.stop());
Object.assign(process.env, bed.env); // before the client of the end-to-end tests is loaded
const { GATEWAYS, service } = await import('../../../e2e/support/client.ts');
const { anOffer, codeOf, credentialRequest, redeemed } = await import('../../../e2e/exchange/exchange-examples.ts');
const { redemption } = await import('../../../e2e/exchange/wallet.ts');

/** Opens a connection as the service, for its locks. */
async function connection(): Promise<Client> {
    const client = new Client({ connectionString: bed.env['E2E_DATABASE_URL'] });
    client.on('error', () => {}); // the database is dropped before the connection is closed
    await client.connect();
    after(() => client.end());
    return client;
}

const [watcher, issuing, locking] = [await connection(), await connection(), await connection()];

async function count(query: string, values: string[]): Promise<number> {
    return (await watcher.query(`SELECT count(*)::int AS count FROM ${query}`, values)).rows[0].count;
}

const EXCHANGE = bed.ops.findIndex(({ role }) => role === 'exchange');
/** The statements in which the connections of exchange wait for a lock. */
const WAITING = `pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%exchange.%'`;

/** Kills the process of exchange, and the statements in which it waits. */
async function killExchange(): Promise<void> {
    const restarted = bed.restart(EXCHANGE, 'SIGKILL');
    await watcher.query(`SELECT pg_terminate_backend(pid) FROM ${WAITING}`);
    await restarted;
}

/** A redeemed offer, and a wallet that asks for its credential while issuing credentials has to wait. */
async function stoppedRedemption() {
    const offered = await anOffer();
    const { access_token: token } = await redeemed(offered);
    const request = await credentialRequest(offered.issuer_id);
    const wallet = service.as({ token });
    await issuing.query('BEGIN; LOCK TABLE credentials.credentials IN SHARE MODE');
    // The gateway repeats it if exchange has started again soon enough; if not, the wallet is refused.
    const cut = Promise.allSettled([wallet.exchange.credential(request)]);
    const { offer_id } = offered;
    const isBound = async () => (await count(`exchange.offers WHERE id = $1 AND bindings <> '{}'`, [offer_id])) > 0;
    await until('the offer is bound', isBound);
    return { offered, request, wallet, cut };
}

type Stopped = Awaited<ReturnType<typeof stoppedRedemption>>;

/** The id of the credential that the wallet gets. Its salts and its signature are new in each answer. */
async function received({ request, wallet }: Stopped): Promise<string> {
    const { credentials } = await wallet.exchange.credential(request);
    const [, payload = ''] = (credentials[0]?.credential ?? '').split('.');
    return JSON.parse(Buffer.from(payload, 'base64url').toString()).jti;
}

/** Asserts that the wallet gets one credential, however often it asks, and another key gets none. */
async function assertOne(stopped: Stopped): Promise<void> {
    const { offer_id, issuer_id, did, token } = stopped.offered;
    const id = await received(stopped);
    assert.equal(await received(stopped), id);
    const another = await credentialRequest(issuer_id);
    await assert.rejects(stopped.wallet.exchange.credential(another), /no credentials for more keys/);
    assert.equal(await count('credentials.credentials WHERE issuer = $1', [did]), 1);
    const { state, credential_ids } = await service.as({ token }).offers.get({ offer_id });
    assert.deepEqual({ state, credential_ids }, { state: 'issued', credential_ids: [id] });
}

test('a wallet gets its credential if exchange is killed after the offer was bound to its key', async () => {
    const stopped = await stoppedRedemption();
    await killExchange();
    await issuing.query('ROLLBACK');
    await stopped.cut;
    await assertOne(stopped);
});

test('a wallet gets the same credential if exchange is killed after it was issued, and before it was noted', async () => {
    const stopped = await stoppedRedemption();
    const { offer_id, did } = stopped.offered;
    await locking.query('BEGIN');
    await locking.query('SELECT FROM exchange.offers WHERE id = $1 FOR UPDATE', [offer_id]);
    await issuing.query('ROLLBACK');
    const isIssued = async () => (await count('credentials.credentials WHERE issuer = $1', [did])) > 0;
    await until('the credential is issued', isIssued);
    await killExchange();
    assert.equal(await count(`exchange.offers WHERE id = $1 AND bindings::text LIKE '%urn:%'`, [offer_id]), 0);
    await locking.query('ROLLBACK');
    await stopped.cut;
    await assertOne(stopped);
});

/** An offer, and a wallet whose code is being spent: the statement waits for a lock, until `locking` rolls back. */
async function stoppedSpending() {
    const { offer_id, issuer_id, ...offered } = await anOffer();
    const code = await codeOf(offered);
    const redeem = async () => {
        const body = new URLSearchParams(redemption(code));
        const answer = await fetch(`${GATEWAYS[0]}/issuers/${issuer_id}/token`, { method: 'POST', body });
        const { error, access_token: token } = (await answer.json()) as { error?: string; access_token?: string };
        return [answer.status, error ?? typeof token];
    };
    await locking.query('BEGIN');
    await locking.query('SELECT FROM exchange.offers WHERE id = $1 FOR UPDATE', [offer_id]);
    const cut = redeem();
    await until('the statement waits', async () => (await count(WAITING, [])) === 1);
    const isSpent = async () =>
        (await count('exchange.offers WHERE id = $1 AND code_used_at IS NOT NULL', [offer_id])) === 1;
    return { redeem, cut, isSpent };
}

test('a wallet gets one token if exchange is killed before the code was spent', async () => {
    const { redeem, cut, isSpent } = await stoppedSpending();
    await killExchange();
    await locking.query('ROLLBACK');
    assert.deepEqual(await cut, [503, 'temporarily_unavailable']);
    assert.equal(await isSpent(), false);
    assert.deepEqual(await redeem(), [200, 'string']);
    assert.deepEqual(await redeem(), [400, 'invalid_grant']);
});

test('a wallet gets no token if exchange is killed after the code was spent, and before it answers', async () => {
    const { redeem, cut, isSpent } = await stoppedSpending();
    bed.freeze(EXCHANGE);
    await locking.query('ROLLBACK');
    await until('the code is spent', isSpent);
    await killExchange();
    assert.deepEqual(await cut, [503, 'temporarily_unavailable']);
    for (let call = 0; call < 2; call++) assert.deepEqual(await redeem(), [400, 'invalid_grant']);
});
