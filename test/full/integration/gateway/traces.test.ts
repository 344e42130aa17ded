import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { CollectedSpan } from '../../../support/collector.ts';
import { type Trace, traceCalls } from './traces.fixture.ts';

const traced = await traceCalls();
const { alone, together, unwanted, opened, single, ended, refused } = traced;
const { token, account, issuer, credential, wallet, INTERNAL_SECRET, service, collector, logDir } = traced;
const spans = collector.spans();
const spansOf = (id: string) => spans.filter(({ traceId }) => traceId === id);

function only(found: CollectedSpan[], name: string, kind: number): CollectedSpan {
    const named = found.filter((span) => span.name === name && span.kind === kind);
    assert.equal(named.length, 1, `${name}, kind ${kind}, among ${found.map((span) => span.name)}`);
    return named[0] as CollectedSpan; // there is one
}

/** Span kinds, as OTLP numbers them. */
const [SERVER, CLIENT] = [2, 3];
const INTERNAL = 1;
const ISSUE = '/credentials.v1.CredentialsService/Issue';

/** Returns the spans of one issue call. Checks that the parent of each is the span that caused it. */
function hopsOf({ trace_id, spanId }: Trace) {
    const found = spansOf(trace_id);
    const http = only(found, 'POST /v1/credentials', SERVER);
    const limiter = only(found, 'limiter', CLIENT);
    const caller = only(found, ISSUE, CLIENT);
    const callee = only(found, ISSUE, SERVER);
    const task = only(found, 'signatures', CLIENT);
    const insert = only(found, 'credentials_insert', CLIENT);
    assert.equal(found.length, 6);
    assert.equal(http.parentSpanId, spanId);
    assert.deepEqual(
        [limiter, caller, callee, task, insert].map(({ parentSpanId }) => parentSpanId),
        [http, http, caller, callee, callee].map(({ spanId }) => spanId),
    );
    return { http, limiter, caller, callee, task, insert };
}

describe('the trace of a call', () => {
    it('continues the trace of the client through HTTP, Redis, gRPC, a thread and PostgreSQL', () => {
        const { http, limiter, caller, callee, task, insert } = hopsOf(alone);
        assert.deepEqual(
            [http, limiter, caller, callee, task, insert].map((span) => span.service),
            ['gateway', 'gateway', 'gateway', 'credentials', 'credentials', 'credentials'],
        );
        assert.equal(http.attributes['http.response.status_code'], 201);
        assert.equal(limiter.attributes['db.system.name'], 'redis');
        assert.equal(insert.attributes['db.system.name'], 'postgresql');
    });

    it('shows for each hop how long it waited and the size of its batch', () => {
        const { limiter, caller, task, insert } = hopsOf(alone);
        for (const { name, attributes } of [limiter, caller, task, insert]) {
            assert.ok(Number(attributes['queue.wait_ms']) > 0, name);
            assert.equal(attributes['batch.size'], 1, name);
        }
    });

    it('stays separate if calls share a batch', () => {
        const hops = together.map(hopsOf);
        for (const hop of ['limiter', 'caller', 'task', 'insert'] as const) {
            const largest = Math.max(...hops.map((of) => Number(of[hop].attributes['batch.size'])));
            assert.ok(largest > 1, `${hop}: no batch had more than one call`);
        }
    });

    it('shows how long a wallet password waited for its turn among the attempts, and for a thread', () => {
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

    it('shows its waits for Redis: for the verdict on a password, and for the refused marks of a revocation', () => {
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
        const markSpans = found.filter(({ name }) => name === 'refused_mark');
        const ending = ['/keys.v1.KeysService/Revoke', '/identity.v1.IdentityService/Logout'];
        assert.deepEqual(
            new Set(markSpans.map(({ parentSpanId }) => parentSpanId)),
            new Set(ending.map((method) => only(found, method, SERVER).spanId)),
        );
        for (const { attributes } of markSpans) assert.equal(attributes['db.system.name'], 'redis');
    });

    it('shows the statements and transactions that are not batched, and how long they waited for a connection', () => {
        const found = [opened, single, ended].flatMap(({ trace_id }) => spansOf(trace_id));
        const hops = {
            wallet_find: '/wallet.v1.WalletService/ListCredentials',
            wallet_page: '/wallet.v1.WalletService/ListCredentials',
            key_insert: '/keys.v1.KeysService/Generate',
            key_list: '/keys.v1.KeysService/List',
            credentials_count: '/credentials.v1.CredentialsService/List',
            usage_keys: '/usage.v1.UsageService/GetKeyUsage',
            usage_counts: '/usage.v1.UsageService/GetStatistics',
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

    it('begins at the gateway if the client sends none, and is not exported if the client does not sample it', () => {
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

    it('has its id in the log line of the call', () => {
        const files = readdirSync(logDir).map((name) => readFileSync(join(logDir, name), 'utf8'));
        const lines = files.flatMap((text) => text.split('\n'));
        for (const { trace_id } of [alone, unwanted]) {
            const found = lines.filter((line) => line.includes(`"trace_id":"${trace_id}"`));
            assert.equal(found.length, 1);
        }
    });

    it('contains none of the data that calls have sent', () => {
        const secrets = [
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
            secrets.filter((mark) => mark === undefined || sent.includes(mark)),
            [],
        );
    });
});
