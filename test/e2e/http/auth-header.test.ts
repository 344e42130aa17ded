import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk, INTERNAL_SECRET } from '../support/client.ts';
import { sendRaw } from '../support/raw.ts';
import { newAccount, newKey } from '../support/world.ts';

const account = await newAccount();
const other = await newAccount();
const { api_key, key_id } = await newKey(account);
const UT = account.token;

/** Endpoints of each kind of access, with bodies that would get 400 if they were read. */
const GUARDED = [
    { method: 'GET', path: '/v1/me' },
    { method: 'GET', path: '/v1/keys' },
    { method: 'DELETE', path: `/v1/keys/${key_id}` },
    { method: 'POST', path: '/v1/did', body: '{not json' },
    { method: 'POST', path: '/v1/credentials/verify', body: '{not json' },
];

async function refusedEverywhere(headers: ReadonlyArray<readonly [string, string]>, status = 401): Promise<void> {
    for (const call of GUARDED) {
        const answer = await sendRaw({ ...call, headers });
        assert.equal(answer.status, status, `${call.method} ${call.path}: ${answer.text}`);
        const { status: word, message, error, ...more } = JSON.parse(answer.text);
        assert.deepEqual([word, typeof message, typeof error, more], ['error', 'string', 'string', {}]);
        assert.match(String(answer.headers['x-ratelimit-remaining']), /^\d+$/);
    }
}

describe('a call is refused with 401, before its body is read, if Authorization', () => {
    it('is missing', () => refusedEverywhere([]));

    const values: Record<string, string> = {
        'is empty': '',
        'has no token': 'Bearer',
        'has only blanks as token': 'Bearer    ',
        'has another scheme': 'Basic dXNlcjpwYXNzd29yZA==',
        'has a valid token with another scheme': `Basic ${UT}`,
        'has a token without scheme': UT,
        'has no blank after the scheme': `Bearer${UT}`,
        'has a tab after the scheme': `Bearer\t${UT}`,
        'has a word after the token': `Bearer ${UT} extra`,
        'has two tokens': `Bearer ${UT} ${other.token}`,
        'has two credentials': `Bearer ${UT},Bearer ${other.token}`,
        'has the scheme twice': `Bearer Bearer ${UT}`,
        'has a quoted token': `Bearer "${UT}"`,
        'has a comma after the token': `Bearer ${UT},`,
        'has a no-break space after the token': `Bearer ${UT}\u00a0`,
        'has a no-break space after the key': `Bearer ${api_key}\u00a0`,
        'has bytes beyond ASCII': 'Bearer \u00e9\u00ff',
        'has the word undefined as token': 'Bearer undefined',
        'has a token of 8 KiB': `Bearer ${'a'.repeat(8 << 10)}`,
        'has a token of 15 KiB': `Bearer ${'a'.repeat(15 << 10)}`,
        'has the id of a key as token': `Bearer ${key_id}`,
        'has the internal secret as token': `Bearer ${INTERNAL_SECRET}`,
    };
    for (const [name, value] of Object.entries(values)) {
        it(name, () => refusedEverywhere([['Authorization', value]]));
    }

    it('is replaced by the internal secret', () => refusedEverywhere([['X-Internal-Secret', INTERNAL_SECRET]]));

    it('is replaced by another header or a cookie', async () => {
        for (const secret of [UT, api_key]) {
            await refusedEverywhere([['X-Api-Key', secret]]);
            await refusedEverywhere([['Proxy-Authorization', `Bearer ${secret}`]]);
            await refusedEverywhere([['Cookie', `token=${secret}; access_token=${secret}; api_key=${secret}`]]);
        }
    });

    it('is replaced by the query', async () => {
        for (const name of ['token', 'access_token', 'api_key', 'authorization', 'bearer']) {
            for (const secret of [UT, api_key]) {
                const answer = await expectError(401, { path: `/v1/me?${name}=${secret}` });
                assert.ok(!answer.text.includes(secret));
                await expectError(401, { method: 'POST', path: `/v1/did?${name}=${secret}` });
            }
        }
    });
});

it('a call with two Authorization headers gets 400, whichever of them is valid', async () => {
    const good = ['Authorization', `Bearer ${UT}`] as const;
    const wrong = ['authorization', 'Bearer nothing'] as const;
    for (const pair of [[good, good] as const, [good, wrong] as const, [wrong, good] as const]) {
        await refusedEverywhere(pair, 400);
    }
});

it('a token that is too long for a header gets 431', async () => {
    const headers = [['Authorization', `Bearer ${'a'.repeat(64 << 10)}`]] as const;
    assert.equal((await sendRaw({ path: '/v1/me', headers })).status, 431);
});

it('the scheme may be written in any case and with several blanks', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
        const headers = [['Authorization', `${scheme} ${UT}`]] as const;
        assert.equal((await sendRaw({ path: '/v1/me', headers })).status, 200, scheme);
    }
});

it('a session token is accepted wherever an API key is, but a key is not accepted wherever a session is', async () => {
    await expectOk(201, { method: 'POST', path: '/v1/did', token: UT });
    await expectOk(201, { method: 'POST', path: '/v1/did', token: api_key });
    const onlySessions = [
        { path: '/v1/me' },
        { path: '/v1/keys' },
        { path: `/v1/keys/${key_id}` },
        { method: 'PATCH', path: `/v1/keys/${key_id}`, body: { name: 'by a key' } },
        { method: 'DELETE', path: `/v1/keys/${key_id}` },
        { method: 'POST', path: '/v1/keys/generate', body: { name: 'by a key' } },
    ];
    for (const call of onlySessions) await expectError(401, { ...call, token: api_key });
    const { keys } = await expectOk(200, { path: '/v1/keys', token: UT });
    assert.deepEqual(
        keys.map((key: { name: string; active: boolean }) => [key.name, key.active]),
        [['key', true]],
    );
});

it('the answer to a refused call never repeats its token', async () => {
    const secret = `${UT.slice(0, -2)}zz`;
    for (const call of GUARDED) {
        const answer = await sendRaw({ ...call, headers: [['Authorization', `Bearer ${secret}`]] });
        assert.ok(!answer.text.includes(secret.slice(-20)) && !JSON.stringify(answer.headers).includes(secret));
    }
});
