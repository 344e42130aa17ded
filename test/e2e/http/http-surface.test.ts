import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { type Call, expectError, send } from '../support/client.ts';
import { issue, newAccount, newDid, newKey } from '../support/world.ts';

const account = await newAccount();
const { api_key: token } = await newKey(account);
const issuer = await newDid(token);
const issued = await issue(token, issuer);
const unknownId = 'urn:uuid:01890000-0000-7000-8000-000000000000';

describe('the order of checks', () => {
    const revoke = (id: string, body: unknown): Call => ({
        method: 'POST',
        path: `/v1/credentials/revoke/${id}`,
        token,
        body,
    });
    const cases: Array<[what: string, status: number, call: () => Promise<Call> | Call]> = [
        ['an unknown path before a missing credential', 404, () => ({ path: '/v1/nothing' })],
        ['an unknown path before a missing secret', 404, () => ({ path: '/internal/v1/nothing' })],
        ['a wrong method before a missing credential', 405, () => ({ method: 'PUT', path: '/v1/did' })],
        ['a missing credential before a bad body', 401, () => ({ method: 'POST', path: '/v1/did', body: '{' })],
        ['a missing credential before a bad query', 401, () => ({ path: `/v1/credentials/by-issuer/x?limit=0` })],
        [
            'a missing credential before a huge body',
            401,
            () => ({ method: 'POST', path: '/v1/did', body: ' '.repeat(2 << 20) }),
        ],
        [
            'a missing secret before a bad body',
            401,
            () => ({ method: 'POST', path: '/internal/v1/auth/register', body: '{' }),
        ],
        ['a used-up limit before a bad body', 429, async () => ({ ...create('{'), token: await spentKey() })],
        ['a used-up limit before a bad path', 429, async () => ({ path: '/v1/did/%zz', token: await spentKey() })],
        ['an unknown path before a used-up limit', 404, async () => ({ path: '/v1/nothing', token: await spentKey() })],
        ['a missing field before an unknown id', 400, () => revoke(unknownId, {})],
        ['a bad id before a missing field', 400, () => revoke('x', {})],
        ['an unknown id before a lack of rights', 404, () => revoke(unknownId, { issuer_did: issuer.did })],
        [
            'a lack of rights last',
            403,
            async () => revoke(issued.credential_id, { issuer_did: (await newDid(token)).did }),
        ],
    ];
    for (const [what, status, call] of cases) {
        it(`${what}: ${status}`, async () => {
            await expectError(status, await call());
        });
    }

    it('lets calls that are refused for their content count against the limit', async () => {
        const { api_key } = await newKey(account, 'free');
        const remaining = async (call: Call) => (await send({ ...call, token: api_key })).headers;
        const calls = [
            create('{'),
            create('[]'),
            { path: '/v1/did/%zz' },
            { path: '/v1/did/x' },
            revoke(unknownId, {}),
        ];
        let left: number = RATE_LIMITS.free;
        for (const call of calls) assert.equal((await remaining(call)).get('x-ratelimit-remaining'), String(--left));
        await send({ path: '/v1/nothing', token: api_key });
        await send({ method: 'PUT', path: '/v1/did', token: api_key });
        assert.equal((await remaining(create())).get('x-ratelimit-remaining'), String(left - 1));
    });
});

describe('every answer', () => {
    it('repeats a valid request id, and replaces any other', async () => {
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

    it('to HEAD has the status and the length of the answer to GET, without its body', async () => {
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

    it('names no server, and does not repeat a refused credential', async () => {
        const secret = `cred_test_${'s'.repeat(32)}`;
        const { text, headers } = await expectError(401, { path: `/v1/did/${issuer.did}`, token: secret });
        assert.ok(!text.includes(secret) && !JSON.stringify([...headers]).includes(secret));
        assert.equal(headers.get('server'), null);
    });
});

describe('health', () => {
    it('is answered to any caller, without envelope, with the state of each part', async () => {
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
    const calls = Array.from({ length: RATE_LIMITS.free }, () => send({ path: '/v1/did/x', token: api_key }));
    for (const { status } of await Promise.all(calls)) assert.equal(status, 400);
    return api_key;
}
