import assert from 'node:assert/strict';
import { it } from 'node:test';
import { expectError, expectOk } from '../support/client.ts';
import { issue, login, newAccount, newDid, newKey } from '../support/world.ts';

const me = (token: string, gateway = 1) => expectOk(200, { path: '/v1/me', token, gateway });

it('GET /v1/me answers a new account with its data and counts of 0', async () => {
    const { token, user_id, email } = await newAccount();
    const { created_at, last_login_at, ...user } = await me(token);
    assert.deepEqual(user, {
        user_id,
        email,
        name: null,
        tier: 'free',
        stats: { dids_created: 0, credentials_issued: 0, presentations_created: 0, api_keys_active: 0 },
    });
    for (const time of [created_at, last_login_at]) assert.equal(new Date(time).toISOString(), time);
});

it('actions of an account, by session and by key, appear in its counts at once on every gateway', async () => {
    const account = await newAccount();
    const counts = async () => [(await me(account.token, 0)).stats, (await me(account.token, 1)).stats];
    const { api_key, key_id } = await newKey(account);
    await newKey(account);
    const did = await newDid(account.token);
    await newDid(api_key);
    await issue(api_key, did);
    const done = { dids_created: 2, credentials_issued: 1, presentations_created: 0, api_keys_active: 2 };
    assert.deepEqual(await counts(), [done, done]);
    await expectOk(200, { method: 'DELETE', path: `/v1/keys/${key_id}`, token: account.token });
    assert.deepEqual(
        await counts(),
        [done, done].map((stats) => ({ ...stats, api_keys_active: 1 })),
    );
});

it('failed calls are not counted', async () => {
    const { token } = await newAccount();
    await expectError(400, { method: 'POST', path: '/v1/did', token, body: { public_key: 'x' } });
    await expectError(400, { method: 'POST', path: '/v1/keys/generate', token, body: {} });
    await expectError(400, { method: 'POST', path: '/v1/credentials', token, body: {} });
    const { stats } = await me(token);
    assert.deepEqual(Object.values(stats), [0, 0, 0, 0]);
});

it('only a successful login changes the time of the last login', async () => {
    const account = await newAccount();
    const first = (await me(account.token)).last_login_at;
    const wrong = { email: account.email, password: 'wrong' };
    await expectError(401, { method: 'POST', path: '/internal/v1/auth/login', body: wrong });
    const body = { refresh_token: account.refresh_token };
    await expectOk(200, { method: 'POST', path: '/internal/v1/auth/refresh', internal: true, body });
    assert.equal((await me(account.token)).last_login_at, first);
    await login(account);
    assert.ok((await me(account.token)).last_login_at > first);
});

it('GET /v1/me ignores a query', async () => {
    const { token, user_id } = await newAccount();
    assert.equal((await expectOk(200, { path: '/v1/me?user_id=x&limit=5', token })).user_id, user_id);
});
