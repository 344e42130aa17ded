import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { startCollector } from '../../../support/collector.ts';
import { startService } from '../../../support/service.ts';

/** The number of calls that arrive at once, so that they share frames, script calls, tasks and statements. */
const AT_ONCE = 32;

const setting = (name: string): string => process.env[name] ?? assert.fail(`${name}: run this by "npm test -- <file>"`);

/** A trace that a client begins. */
export type Trace = ReturnType<typeof newTrace>;

const newTrace = () => ({ trace_id: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') });
const headersOf = ({ trace_id, spanId }: Trace, flags = '01') => ({
    traceparent: `00-${trace_id}-${spanId}-${flags}`,
});

/** Starts the service, which exports its spans to a collector, and loads the client of the end-to-end tests. */
async function startTraced() {
    const logDir = mkdtempSync(join(tmpdir(), 'traces-log-'));
    after(() => rmSync(logDir, { recursive: true, force: true }));
    const collector = await startCollector();
    after(() => collector.stop());
    const service = await startService({
        transport: 'grpc',
        adminUrl: setting('TEST_ADMIN_URL'),
        databaseUrl: setting('TEST_DATABASE_URL'),
        redisUrl: setting('TEST_REDIS_URL'),
        logDir,
        settings: { OTLP_ENDPOINT: collector.url },
    });
    Object.assign(process.env, service.env); // before the client of the end-to-end tests is loaded
    const client = await import('../../../e2e/support/client.ts');
    const world = await import('../../../e2e/support/world.ts');
    const sockets = await import('../../../e2e/support/socket.ts');
    return { logDir, collector, service, client, world, sockets };
}

type Traced = Awaited<ReturnType<typeof startTraced>>;
type Account = Awaited<ReturnType<Traced['world']['newAccount']>>;

/** Issues credentials: one alone, many at once, one whose trace is not wanted, and one without a trace. */
async function issueCredentials(traced: Traced, token: string) {
    const {
        client: { expectOk },
        world: { issueBody, newDid },
    } = traced;
    const issuer = await newDid(token);
    const issue = {
        method: 'POST',
        path: '/v1/credentials',
        token,
        body: issueBody(issuer, 'did:web:subject.example', { claims: { note: 'marked claim' } }),
    };
    const alone = newTrace();
    const { credential } = await expectOk(201, { ...issue, headers: headersOf(alone) });
    const together = Array.from({ length: AT_ONCE }, newTrace);
    await issueAtOnce(traced, { token, body: JSON.stringify(issue.body), traces: together });
    const unwanted = newTrace();
    await expectOk(201, { ...issue, headers: headersOf(unwanted, '00') });
    await expectOk(201, issue);
    return { issuer, issue, credential, alone, together, unwanted };
}

/**
 * Issues a credential for each trace. The requests are one write on one connection, so the gateway reads them in one turn
 * of its event loop, however busy the machine is.
 */
async function issueAtOnce(
    { sockets: { requestText, withConnection } }: Traced,
    { token, body, traces }: { token: string; body: string; traces: readonly Trace[] },
): Promise<void> {
    const requests = traces.map((trace) => {
        const { traceparent } = headersOf(trace);
        const headers = [
            `Authorization: Bearer ${token}`,
            `Traceparent: ${traceparent}`,
            'Content-Type: application/json',
            `Content-Length: ${Buffer.byteLength(body)}`,
        ];
        return requestText('POST /v1/credentials', headers, body);
    });
    await withConnection(async (connection) => {
        connection.write(requests.join(''));
        for (const _ of traces) assert.equal((await connection.next())?.status, 201);
    });
}

/** Lists the credentials of a new wallet. */
async function openWallet({ client: { expectOk }, world: { newWallet } }: Traced, token: string) {
    const wallet = await newWallet(token, 'marked password');
    const opened = newTrace();
    await expectOk(200, {
        path: `/v1/wallets/${wallet.wallet_id}/credentials?password=${encodeURIComponent(wallet.password)}`,
        token,
        headers: headersOf(opened),
    });
    return { wallet, opened };
}

/** Makes calls of an account whose statements are not batched, all in one trace. */
async function callAsOwner({ client: { expectOk } }: Traced, account: Account): Promise<Trace> {
    const single = newTrace();
    const asOwner = (path: string, method = 'GET', body?: object) => ({
        path,
        method,
        body,
        token: account.token,
        headers: headersOf(single),
    });
    await expectOk(201, asOwner('/v1/keys/generate', 'POST', { name: 'traced' }));
    await expectOk(200, asOwner('/v1/keys'));
    await expectOk(200, asOwner('/v1/me/stats'));
    const newPassword = 'marked new password';
    await expectOk(
        200,
        asOwner('/v1/me/password', 'POST', { current_password: account.password, new_password: newPassword }),
    );
    return single;
}

/** Revokes a key, lists credentials and ends a session, all in one trace. */
async function endKeyAndSession(
    { client: { expectOk }, world: { newAccount, newKey } }: Traced,
    account: Account,
    { token, issuerDid }: { token: string; issuerDid: string },
): Promise<Trace> {
    const ended = newTrace();
    const { key_id } = await newKey(account);
    await expectOk(200, {
        method: 'DELETE',
        path: `/v1/keys/${key_id}`,
        token: account.token,
        headers: headersOf(ended),
    });
    await expectOk(200, { path: `/v1/credentials/by-issuer/${issuerDid}?limit=1`, token, headers: headersOf(ended) });
    const leaving = await newAccount();
    await expectOk(200, {
        method: 'POST',
        path: '/internal/v1/auth/logout',
        internal: true,
        body: { token: leaving.token },
        headers: headersOf(ended),
    });
    return ended;
}

/** Makes the calls to trace, and stops the service, which exports its last spans then. */
export async function traceCalls() {
    const traced = await startTraced();
    const { logDir, collector, service, client, world } = traced;
    const account = await world.newAccount();
    const { api_key: token } = await world.newKey(account);
    const issued = await issueCredentials(traced, token);
    const { wallet, opened } = await openWallet(traced, token);
    const single = await callAsOwner(traced, account);
    const { issue, issuer } = issued;
    const ended = await endKeyAndSession(traced, account, { token, issuerDid: issuer.did });
    const refused = newTrace();
    const body = { ...issue.body, issuer_private_key: 'marked key' };
    await client.send({ ...issue, body, headers: headersOf(refused) });
    await service.stop();
    const { INTERNAL_SECRET } = client;
    return {
        ...issued,
        opened,
        single,
        ended,
        refused,
        account,
        token,
        wallet,
        INTERNAL_SECRET,
        service,
        collector,
        logDir,
    };
}
