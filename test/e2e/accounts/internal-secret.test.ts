import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointTable } from '../../../gateway/endpoints/index.ts';
import { expectError, expectOk, INTERNAL_SECRET, send } from '../support/client.ts';
import { sendRaw } from '../support/raw.ts';
import { newAccount, newEmail } from '../support/world.ts';

const INTERNAL = endpointTable({ version: '', cache: async () => {}, clock: Date.now }).filter(({ access }) =>
    access.startsWith('internal'),
);
const { token } = await newAccount();

type Headers = ReadonlyArray<readonly [string, string]>;
const S = 'X-Internal-Secret';

/** Asserts 401 for every internal endpoint but login and health. The default body would get 400 if it were read. */
async function refusedEverywhere(headers: Headers, pathSuffix = '', body = '{not json'): Promise<void> {
    for (const { method, path } of INTERNAL) {
        const answer = await sendRaw({ method, path: path.replaceAll(/\{\w+\}/g, 'x') + pathSuffix, headers, body });
        assert.equal(answer.status, 401, `${method} ${path}: ${answer.text}`);
        assert.equal(answer.headers['x-error-code'], 'unauthenticated');
        assert.ok(!answer.text.includes(INTERNAL_SECRET));
    }
}

describe('an internal call is refused with 401, before its body is read, if the secret is', () => {
    const values: Record<string, Headers> = {
        missing: [],
        empty: [[S, '']],
        wrong: [[S, 'wrong']],
        'wrong, of the right length': [[S, 'x'.repeat(INTERNAL_SECRET.length)]],
        'one character too short': [[S, INTERNAL_SECRET.slice(0, -1)]],
        'one character too long': [[S, `${INTERNAL_SECRET}x`]],
        'in another letter case': [[S, INTERNAL_SECRET.toUpperCase()]],
        'in base64': [[S, Buffer.from(INTERNAL_SECRET).toString('base64')]],
        'in quotes': [[S, `"${INTERNAL_SECRET}"`]],
        'sent twice, the second one wrong': [
            [S, INTERNAL_SECRET],
            [S, 'wrong'],
        ],
        'sent twice, the first one wrong': [
            [S, 'wrong'],
            [S.toLowerCase(), INTERNAL_SECRET],
        ],
        'sent twice, both right': [
            [S, INTERNAL_SECRET],
            [S, INTERNAL_SECRET],
        ],
        'a list of secrets': [[S, `${INTERNAL_SECRET}, ${INTERNAL_SECRET}`]],
        'a session token': [[S, token]],
        'replaced by a session token': [['Authorization', `Bearer ${token}`]],
        'sent as a bearer token': [['Authorization', `Bearer ${INTERNAL_SECRET}`]],
        'under another name': [
            ['Internal-Secret', INTERNAL_SECRET],
            ['X-Internal-Secret-Key', INTERNAL_SECRET],
        ],
        'sent as a cookie': [['Cookie', `X-Internal-Secret=${INTERNAL_SECRET}`]],
    };
    for (const [name, headers] of Object.entries(values)) it(name, () => refusedEverywhere(headers));

    it('sent in the query', () =>
        refusedEverywhere([], `?X-Internal-Secret=${INTERNAL_SECRET}&secret=${INTERNAL_SECRET}`));

    it('sent in the body', async () => {
        const body = { email: newEmail(), password: 'correct horse', 'X-Internal-Secret': INTERNAL_SECRET };
        await expectError(401, { method: 'POST', path: '/internal/v1/auth/register', body });
        await refusedEverywhere([['Content-Type', 'application/json']], '', JSON.stringify(body));
    });

    it('named in Connection, so that proxies remove it', async () => {
        const headers: Headers = [
            [S, INTERNAL_SECRET],
            ['Connection', `close, ${S}`],
        ];
        const answer = await sendRaw({ path: '/internal/v1/auth/me', headers });
        assert.equal(answer.status, 401); // the session token is missing too, so the secret changes nothing
    });
});

it('a call with a wrong secret writes nothing', async () => {
    const body = { email: newEmail(), password: 'correct horse' };
    const call = { method: 'POST', path: '/internal/v1/auth/register', body };
    await expectError(401, { ...call, headers: { [S]: 'wrong' } });
    await expectError(401, { method: 'POST', path: '/internal/v1/auth/login', body });
    await expectOk(201, { ...call, internal: true });
});

it('a wrong method on an internal path gets 405 with Allow, and an unknown internal path gets 404', async () => {
    for (const { method, path } of INTERNAL) {
        const other = method === 'GET' ? 'POST' : 'GET';
        for (const internal of [true, false]) {
            const answer = await expectError(405, { method: other, path: path.replaceAll(/\{\w+\}/g, 'x'), internal });
            assert.ok(answer.headers.get('allow')?.includes(method));
        }
    }
    for (const internal of [true, false]) {
        await expectError(404, { path: '/internal/v1/nothing', internal });
        await expectError(404, { path: '/internal', internal });
        await expectError(404, { path: '/internal/v1/auth/me/', internal });
        await expectError(404, { path: '/Internal/v1/auth/me', internal });
    }
});

it('internal calls do not count in the rate limits of an account, an address or a key', async () => {
    const first = await expectOk(200, { path: '/v1/me', token });
    const before = await send({ path: '/v1/me', token });
    // More than any limit of the account admits.
    const calls = Array.from({ length: 650 }, () => send({ path: '/internal/v1/auth/me', internal: true, token }));
    for (const answer of await Promise.all(calls)) {
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('x-ratelimit-limit'), '1000000');
    }
    const after = await send({ path: '/v1/me', token });
    const left = (answer: typeof after) => Number(answer.headers.get('x-ratelimit-remaining'));
    assert.equal(left(before) - left(after), 1);
    assert.ok(first);
});
