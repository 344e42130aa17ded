import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointTable } from '../../../gateway/endpoints/index.ts';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { exchange, requestText } from '../support/socket.ts';
import { issue, newAccount, newDid, newKey } from '../support/world.ts';

const account = await newAccount();
const { api_key: token } = await newKey(account);
const issuer = await newDid(token);
const issued = await issue(token, issuer);
const unknown_id = 'urn:uuid:01890000-0000-7000-8000-000000000000';

/** Paths with their parameters filled in, and the methods that they accept. */
const paths = Map.groupBy(endpointTable({ version: '', cache: async () => {}, clock: Date.now }), ({ path }) =>
    path.replaceAll(/\{\w+\}/g, 'x'),
);

describe('routing', () => {
    const nowhere = [
        '/',
        '/v1',
        '/v1/',
        '/v1/nothing',
        '/v2/did',
        '/internal',
        '/internal/v1/nothing',
        '/V1/did',
        '/v1/DID',
        '/v1/did/',
        '/v1//did',
        '//v1/did',
        '/v1/did/x/document/',
        '/v1/did/x/other',
        '/v1/credentials/status',
        '/internal/health/',
        '/%76%31/did',
        '/index.html',
        '/v1/nothing/%zz',
    ];
    for (const path of nowhere) {
        it(`${path} is no path, with or without a credential`, async () => {
            for (const method of ['GET', 'POST', 'PUT']) {
                const answer = await expectError(404, { method, path });
                assert.equal(answer.headers.get('x-error-code'), 'not_found');
                await expectError(404, { method, path, token, internal: true });
            }
        });
    }

    for (const [path, endpoints] of paths) {
        it(`${path} names the methods it accepts when it is asked with another`, async () => {
            const accepted = new Set<string>(endpoints.map(({ method }) => method));
            if (accepted.has('GET')) accepted.add('HEAD');
            for (const method of ['PUT', 'OPTIONS', 'DELETE', 'PATCH', 'POST', 'GET']) {
                // GET /v1/keys/generate and the like are another endpoint, with a key id of that name.
                if (accepted.has(method) || path === '/v1/keys/generate') continue;
                const { headers } = await expectError(405, { method, path, token });
                assert.deepEqual(new Set(headers.get('allow')?.split(', ')), accepted);
                assert.equal(headers.get('x-error-code'), 'method_not_allowed');
            }
        });
    }

    it('a colon in the path may be escaped, in either letter case, and is decoded once', async () => {
        const path = (did: string) => ({ path: `/v1/did/${did}`, token });
        const spellings = [issuer.did, issuer.did.replaceAll(':', '%3A'), issuer.did.replaceAll(':', '%3a')];
        for (const did of spellings) assert.equal((await expectOk(200, path(did))).did, issuer.did);
        await expectError(400, path(issuer.did.replaceAll(':', '%253A')));
        const status = `/v1/credentials/status/${issued.credential_id.replaceAll(':', '%3a')}`;
        assert.equal((await expectOk(200, { path: status, token })).credential_id, issued.credential_id);
    });

    for (const parameter of [
        '%zz',
        '%',
        '%e',
        '%ff',
        '%c3%28',
        '%ed%a0%80',
        'a%2Fb',
        '..%2f..%2fetc',
        '%2e%2e',
        '%00',
    ]) {
        it(`the parameter ${parameter} is refused after the credential was checked`, async () => {
            for (const path of [`/v1/did/${parameter}`, `/v1/credentials/status/${parameter}`]) {
                const ask = async (headers: string[]) => (await exchange(requestText(`GET ${path}`, headers)))?.status;
                assert.equal(await ask([`Authorization: Bearer ${token}`]), 400);
                assert.equal(await ask([]), 401);
            }
        });
    }

    it('a parameter that cannot be decoded is malformed, where any other would be unknown', async () => {
        await expectError(404, { path: '/v1/keys/%25zz', token: account.token });
        for (const id of ['%zz', '%', '%ff', 'a%3']) {
            const { body } = await expectError(400, { path: `/v1/keys/${id}`, token: account.token });
            assert.match(body.error, /percent-encoded/);
        }
    });
});

describe('the order of checks', () => {
    const revoke = (id: string, body: unknown): Call => ({
        method: 'POST',
        path: `/v1/credentials/revoke/${id}`,
        token,
        body,
    });
    const cases: Array<[what: string, status: number, call: () => Promise<Call> | Call]> = [
        ['no route before no credential', 404, () => ({ path: '/v1/nothing' })],
        ['no route before no secret', 404, () => ({ path: '/internal/v1/nothing' })],
        ['a wrong method before no credential', 405, () => ({ method: 'PUT', path: '/v1/did' })],
        ['no credential before a bad body', 401, () => ({ method: 'POST', path: '/v1/did', body: '{' })],
        ['no credential before a bad query', 401, () => ({ path: `/v1/credentials/by-issuer/x?limit=0` })],
        [
            'no credential before a huge body',
            401,
            () => ({ method: 'POST', path: '/v1/did', body: ' '.repeat(2 << 20) }),
        ],
        ['no secret before a bad body', 401, () => ({ method: 'POST', path: '/internal/v1/auth/register', body: '{' })],
        ['a spent limit before a bad body', 429, async () => ({ ...create('{'), token: await spentKey() })],
        ['a spent limit before a bad path', 429, async () => ({ path: '/v1/did/%zz', token: await spentKey() })],
        ['no route before a spent limit', 404, async () => ({ path: '/v1/nothing', token: await spentKey() })],
        ['a missing field before an unknown id', 400, () => revoke(unknown_id, {})],
        ['a bad id before a missing field', 400, () => revoke('x', {})],
        ['an unknown id before a lack of rights', 404, () => revoke(unknown_id, { issuer_did: issuer.did })],
        [
            'a lack of rights at last',
            403,
            async () => revoke(issued.credential_id, { issuer_did: (await newDid(token)).did }),
        ],
    ];
    for (const [what, status, call] of cases) {
        it(`${what}: ${status}`, async () => {
            await expectError(status, await call());
        });
    }

    it('calls that are refused for what they hold count against the limit', async () => {
        const { api_key } = await newKey(account, 'free');
        const remaining = async (call: Call) => (await send({ ...call, token: api_key })).headers;
        const calls = [
            create('{'),
            create('[]'),
            { path: '/v1/did/%zz' },
            { path: '/v1/did/x' },
            revoke(unknown_id, {}),
        ];
        const seen = [];
        for (const call of calls) seen.push(Number((await remaining(call)).get('x-ratelimit-remaining')));
        assert.deepEqual(seen, [9, 8, 7, 6, 5]);
        await send({ path: '/v1/nothing', token: api_key });
        await send({ method: 'PUT', path: '/v1/did', token: api_key });
        assert.equal((await remaining(create())).get('x-ratelimit-remaining'), '4');
    });
});

describe('every answer', () => {
    it('repeats a sane request id, and replaces any other', async () => {
        const id = async (sent: string) =>
            (await send({ path: '/internal/health', headers: { 'x-request-id': sent } })).headers.get('x-request-id');
        assert.equal(await id('abc.DEF_1-2'), 'abc.DEF_1-2');
        assert.equal(await id('a'.repeat(128)), 'a'.repeat(128));
        for (const odd of ['a'.repeat(129), 'a b', 'a"b', '<script>', 'a,b']) {
            assert.match((await id(odd)) ?? '', /^[0-9a-f-]{36}$/);
        }
    });

    it('may not be cached, framed or sniffed, on success and on failure', async () => {
        for (const call of [{ path: `/v1/did/${issuer.did}`, token }, { path: '/v1/did/x' }, { path: '/nothing' }]) {
            const { headers } = await send(call);
            assert.equal(headers.get('cache-control'), 'no-store');
            assert.equal(headers.get('x-content-type-options'), 'nosniff');
            assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN');
            assert.ok(headers.get('content-security-policy'));
            assert.ok(headers.get('strict-transport-security'));
            assert.equal(headers.get('etag'), null);
            assert.equal(headers.get('access-control-allow-origin'), null);
        }
    });

    it('to HEAD is what GET would say, without the body', async () => {
        for (const call of [
            { path: '/internal/health' },
            { path: `/v1/did/${issuer.did}`, token },
            { path: `/v1/credentials/by-issuer/${issuer.did}`, token },
            { path: '/v1/did/x', token },
            { path: '/v1/nothing' },
        ]) {
            const [get, head] = [await send(call), await send({ ...call, method: 'HEAD' })];
            assert.equal(head.status, get.status);
            assert.equal(head.text, '');
            assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
        }
    });

    it('names no server, and echoes nothing of a refused credential', async () => {
        const secret = `cred_test_${'s'.repeat(32)}`;
        const { text, headers } = await expectError(401, { path: `/v1/did/${issuer.did}`, token: secret });
        assert.ok(!text.includes(secret) && !JSON.stringify([...headers]).includes(secret));
        assert.equal(headers.get('server'), null);
    });
});

describe('health', () => {
    it('is answered to anybody, outside of the envelope, with the state of each part', async () => {
        const { status, body } = await send({ path: '/internal/health', token: 'wrong' });
        assert.equal(status, 200);
        const { timestamp, version, ...rest } = body as unknown as Record<string, unknown>;
        assert.deepEqual(rest, { status: 'healthy', services: { database: 'up', cache: 'up', storage: 'up' } });
        assert.match(String(version), /^\d+\.\d+\.\d+$/);
        assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });
});

function create(body: unknown = {}): Call {
    return { method: 'POST', path: '/v1/did', token, body };
}

async function spentKey(): Promise<string> {
    const { api_key } = await newKey(account, 'free');
    const calls = Array.from({ length: 10 }, () => send({ path: '/v1/did/x', token: api_key }));
    for (const { status } of await Promise.all(calls)) assert.equal(status, 400);
    return api_key;
}
