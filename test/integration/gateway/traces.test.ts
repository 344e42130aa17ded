import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type CollectedSpan, startCollector } from '../../support/collector.ts';
import { startService } from '../../support/service.ts';

/** Calls that are sent at once, so that they share frames, script calls, tasks and statements. */
const AT_ONCE = 32;

const setting = (name: string): string => process.env[name] ?? assert.fail(`${name}: run this by "npm test -- <file>"`);
const log_dir = mkdtempSync(join(tmpdir(), 'traces-log-'));
after(() => rmSync(log_dir, { recursive: true, force: true }));
const collector = await startCollector();
after(() => collector.stop());
const service = await startService({
    transport: 'grpc',
    admin_url: setting('TEST_ADMIN_URL'),
    database_url: setting('TEST_DATABASE_URL'),
    redis_url: setting('TEST_REDIS_URL'),
    log_dir,
    settings: { OTLP_ENDPOINT: collector.url },
});
Object.assign(process.env, service.env); // before the client of the end-to-end tests is loaded
const { expectOk, INTERNAL_SECRET, send } = await import('../../e2e/support/client.ts');
const { issueBody, newAccount, newDid, newKey, newWallet } = await import('../../e2e/support/world.ts');

const newTrace = () => ({ trace_id: randomBytes(16).toString('hex'), span_id: randomBytes(8).toString('hex') });
const headersOf = ({ trace_id, span_id }: ReturnType<typeof newTrace>, flags = '01') => ({
    traceparent: `00-${trace_id}-${span_id}-${flags}`,
});

// What is traced; the service hands over the last of it when it stops.
const account = await newAccount();
const { api_key: token } = await newKey(account);
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
await Promise.all(together.map((trace) => expectOk(201, { ...issue, headers: headersOf(trace) })));
const unwanted = newTrace();
await expectOk(201, { ...issue, headers: headersOf(unwanted, '00') });
await expectOk(201, issue);
const wallet = await newWallet(token, 'marked password');
const opened = newTrace();
await expectOk(200, {
    path: `/v1/wallets/${wallet.wallet_id}/credentials?password=${encodeURIComponent(wallet.password)}`,
    token,
    headers: headersOf(opened),
});
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
const new_password = 'marked new password';
await expectOk(200, asOwner('/v1/me/password', 'POST', { current_password: account.password, new_password }));
const ended = newTrace();
const { key_id } = await newKey(account);
await expectOk(200, { method: 'DELETE', path: `/v1/keys/${key_id}`, token: account.token, headers: headersOf(ended) });
await expectOk(200, { path: `/v1/credentials/by-issuer/${issuer.did}?limit=1`, token, headers: headersOf(ended) });
const leaving = await newAccount();
await expectOk(200, {
    method: 'POST',
    path: '/internal/v1/auth/logout',
    internal: true,
    body: { token: leaving.token },
    headers: headersOf(ended),
});
const refused = newTrace();
await send({ ...issue, body: { ...issue.body, issuer_private_key: 'marked key' }, headers: headersOf(refused) });
await service.stop();
const spans = collector.spans();
const spansOf = (trace_id: string) => spans.filter(({ traceId }) => traceId === trace_id);

function only(found: CollectedSpan[], name: string, kind: number): CollectedSpan {
    const named = found.filter((span) => span.name === name && span.kind === kind);
    assert.equal(named.length, 1, `${name}, kind ${kind}, among ${found.map((span) => span.name)}`);
    return named[0] as CollectedSpan; // there is one
}

/** As OTLP numbers them. */
const [SERVER, CLIENT] = [2, 3];
const INTERNAL = 1;
const ISSUE = '/credentials.v1.CredentialsService/Issue';

/** The hops of an issue; each is part of the one that it is called by. */
function hopsOf({ trace_id, span_id }: ReturnType<typeof newTrace>) {
    const found = spansOf(trace_id);
    const http = only(found, 'POST /v1/credentials', SERVER);
    const limiter = only(found, 'limiter', CLIENT);
    const caller = only(found, ISSUE, CLIENT);
    const callee = only(found, ISSUE, SERVER);
    const task = only(found, 'signatures', CLIENT);
    const insert = only(found, 'credentials_insert', CLIENT);
    assert.equal(found.length, 6);
    assert.equal(http.parentSpanId, span_id);
    assert.deepEqual(
        [limiter, caller, callee, task, insert].map(({ parentSpanId }) => parentSpanId),
        [http, http, caller, callee, callee].map(({ spanId }) => spanId),
    );
    return { http, limiter, caller, callee, task, insert };
}

describe('the trace of a call', () => {
    it('goes on from the client through HTTP, Redis, gRPC, a thread and PostgreSQL', () => {
        const { http, limiter, caller, callee, task, insert } = hopsOf(alone);
        assert.deepEqual(
            [http, limiter, caller, callee, task, insert].map((span) => span.service),
            ['gateway', 'gateway', 'gateway', 'credentials', 'credentials', 'credentials'],
        );
        assert.equal(http.attributes['http.response.status_code'], 201);
        assert.equal(limiter.attributes['db.system.name'], 'redis');
        assert.equal(insert.attributes['db.system.name'], 'postgresql');
    });

    it('tells of each hop how long it waited for its turn, and with how many others it went', () => {
        const { limiter, caller, task, insert } = hopsOf(alone);
        for (const { name, attributes } of [limiter, caller, task, insert]) {
            assert.ok(Number(attributes['queue.wait_ms']) > 0, name);
            assert.equal(attributes['batch.size'], 1, name);
        }
    });

    it('stays its own where calls go together', () => {
        const hops = together.map(hopsOf);
        for (const hop of ['limiter', 'caller', 'task', 'insert'] as const) {
            const largest = Math.max(...hops.map((of) => Number(of[hop].attributes['batch.size'])));
            assert.ok(largest > 1, `${hop}: none went together`);
        }
    });

    it('shows the waits for the password of a wallet: for its turn among attempts, and for a thread', () => {
        const found = spansOf(opened.trace_id);
        const callee = only(found, '/wallet.v1.WalletService/ListCredentials', SERVER);
        const attempts = only(found, 'password_attempts', CLIENT);
        for (const { service, parentSpanId, attributes } of [attempts, only(found, 'passwords', INTERNAL)]) {
            assert.equal(service, 'wallet');
            assert.equal(parentSpanId, callee.spanId);
            assert.ok(Number(attributes['queue.wait_ms']) >= 0);
        }
        assert.equal(attempts.attributes['db.system.name'], 'redis');
    });

    it('shows what it waits for in Redis: the verdict on a password, and the marks of what it has ended', () => {
        const hops = [
            [opened, 'password_verdict', '/wallet.v1.WalletService/ListCredentials'],
            [single, 'password_verdict', '/identity.v1.IdentityService/ChangePassword'],
        ] as const;
        for (const [{ trace_id }, name, method] of hops) {
            const found = spansOf(trace_id);
            const { parentSpanId, attributes } = only(found, name, CLIENT);
            assert.equal(parentSpanId, only(found, method, SERVER).spanId);
            assert.equal(attributes['db.system.name'], 'redis');
        }
        const found = spansOf(ended.trace_id);
        const livenessMarks = found.filter(({ name }) => name === 'refused_mark');
        const ending = ['/keys.v1.KeysService/Revoke', '/identity.v1.IdentityService/Logout'];
        assert.deepEqual(
            new Set(livenessMarks.map(({ parentSpanId }) => parentSpanId)),
            new Set(ending.map((method) => only(found, method, SERVER).spanId)),
        );
        for (const { attributes } of livenessMarks) assert.equal(attributes['db.system.name'], 'redis');
    });

    it('shows the statements and transactions that are a call’s alone, and how long they waited for a connection', () => {
        const found = [opened, single, ended].flatMap(({ trace_id }) => spansOf(trace_id));
        const hops = {
            wallet_find: '/wallet.v1.WalletService/ListCredentials',
            wallet_page: '/wallet.v1.WalletService/ListCredentials',
            key_insert: '/keys.v1.KeysService/Generate',
            key_list: '/keys.v1.KeysService/List',
            credentials_count: '/credentials.v1.CredentialsService/List',
            usage_requests: '/usage.v1.UsageService/GetKeyUsage',
            usage_folded: '/usage.v1.UsageService/GetStatistics',
            own_password_find: '/identity.v1.IdentityService/ChangePassword',
            password_change: '/identity.v1.IdentityService/ChangePassword',
        };
        for (const [name, method] of Object.entries(hops)) {
            const { parentSpanId, attributes } = only(found, name, CLIENT);
            assert.equal(parentSpanId, only(found, method, SERVER).spanId, name);
            assert.equal(attributes['db.system.name'], 'postgresql');
            assert.ok(Number(attributes['queue.wait_ms']) > 0, name);
            assert.equal(attributes['batch.size'], 1);
        }
    });

    it('names the kind of a refusal', () => {
        const found = spansOf(refused.trace_id);
        assert.equal(only(found, 'POST /v1/credentials', SERVER).attributes['error.type'], 'invalid');
    });

    it('begins at the gateway where none came in, and is not kept where the client does not keep its own', () => {
        const known = new Set([alone, opened, ended, refused, ...together].map(({ trace_id }) => trace_id));
        const begun = spans.filter(({ name, traceId }) => name === ISSUE && !known.has(traceId));
        assert.equal(new Set(begun.map(({ traceId }) => traceId)).size, 1);
        const roots = spansOf(begun[0]?.traceId ?? '').filter(({ parentSpanId }) => !parentSpanId);
        assert.deepEqual(
            roots.map(({ name }) => name),
            ['POST /v1/credentials'],
        );
        assert.deepEqual(spansOf(unwanted.trace_id), []);
    });

    it('is named in the log line of the call', () => {
        const files = readdirSync(log_dir).map((name) => readFileSync(join(log_dir, name), 'utf8'));
        const lines = files.flatMap((text) => text.split('\n'));
        for (const { trace_id } of [alone, unwanted]) {
            const found = lines.filter((line) => line.includes(`"trace_id":"${trace_id}"`));
            assert.equal(found.length, 1);
        }
    });

    it('holds nothing of what calls have brought', () => {
        const livenessMarks = [
            token,
            account.token,
            account.email,
            account.password,
            issuer.private_key,
            credential,
            INTERNAL_SECRET,
            service.env['E2E_SERVICE_TOKEN'],
            'marked',
            wallet.wallet_id,
        ];
        const sent = collector.text();
        assert.ok(sent.includes('GET /v1/wallets/{wallet_id}/credentials'));
        assert.deepEqual(
            livenessMarks.filter((mark) => mark === undefined || sent.includes(mark)),
            [],
        );
    });
});
