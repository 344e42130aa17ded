import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, it } from 'node:test';
import { type Call, expectError, expectOk } from '../support/client.ts';
import { call, closeClients } from '../support/grpc.ts';
import { type Account, issue, newAccount, newDid, newKey } from '../support/world.ts';

after(closeClients);

const change = (what: 'suspend' | 'restore', userId: string, body?: object): Call => ({
    method: 'POST',
    path: `/internal/v1/admin/users/${userId}/${what}`,
    internal: true,
    body,
});
const login = ({ email, password }: Account): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/login',
    internal: true,
    body: { email, password },
});
const refresh = ({ refresh_token }: Account): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/refresh',
    internal: true,
    body: { refresh_token },
});
const verify = (apiKey: string): Call => ({
    method: 'POST',
    path: '/internal/v1/keys/verify',
    internal: true,
    body: { api_key: apiKey },
});

/** An account whose session and key both gateways have just served, so that they know them. */
async function busyAccount() {
    const account = await newAccount();
    const { api_key } = await newKey(account);
    const issuer = await newDid(account.token);
    const uses = [0, 1].flatMap((gateway): Call[] => [
        { path: '/v1/me', token: account.token, gateway },
        { path: `/v1/did/${issuer.did}`, token: api_key, gateway },
    ]);
    for (const use of uses) await expectOk(200, use);
    return { account, api_key, issuer, uses };
}

async function expectSuspended(refused: Call): Promise<void> {
    const { body } = await expectError(403, refused);
    assert.match(body.error, /^This account is suspended\./);
}

it('a suspended account is refused on the next call of every gateway, and works again when it is restored', async () => {
    const { account, api_key, uses } = await busyAccount();
    const reason = 'Its API key was published.';
    for (let turn = 0; turn < 2; turn++) {
        const state = await expectOk(200, change('suspend', account.user_id, { reason }));
        assert.deepEqual([state.user_id, state.suspended, state.reason], [account.user_id, true, reason]);
        for (const use of uses) await expectSuspended(use);
        await expectSuspended(login(account));
        await expectError(401, login({ ...account, password: 'another password' }));
        await expectSuspended(refresh(account));
        await expectSuspended({ path: '/internal/v1/auth/me', internal: true, token: account.token });
        const checked = await expectOk(200, verify(api_key));
        assert.deepEqual([checked.valid, checked.code], [false, 'suspended']);

        const restored = await expectOk(200, change('restore', account.user_id));
        assert.deepEqual(restored, { user_id: account.user_id, suspended: false, suspended_at: null, reason: null });
        for (const use of uses) await expectOk(200, use);
        assert.equal((await expectOk(200, verify(api_key))).code, 'valid');
        await expectOk(200, login(account));
    }
    await expectOk(200, refresh(account)); // the refused ones have not spent the token
});

it('a suspension may be repeated, and keeps its time and its reason; so may a restoration', async () => {
    const { user_id } = await newAccount();
    const first = await expectOk(200, change('suspend', user_id, { reason: 'first' }));
    assert.deepEqual(await expectOk(200, change('suspend', user_id, { reason: 'second' })), first);
    assert.deepEqual(await expectOk(200, change('suspend', user_id)), first);
    const restored = await expectOk(200, change('restore', user_id));
    assert.deepEqual(await expectOk(200, change('restore', user_id)), restored);
});

it('a suspension deletes nothing: documents and credentials of the account stay, and another account is not affected', async () => {
    const { account, issuer } = await busyAccount();
    const other = await busyAccount();
    const { credential } = await issue(account.token, issuer);
    await expectOk(200, change('suspend', account.user_id));
    for (const use of other.uses) await expectOk(200, use);
    await expectOk(200, { path: `/v1/did/${issuer.did}`, token: other.api_key });
    const body = { credential, issuer_did: issuer.did, check_revocation: true };
    const path = '/v1/credentials/verify';
    const verdict = await expectOk(200, { method: 'POST', path, token: other.api_key, body });
    assert.equal(verdict.valid, true);
});

it('a key that is created for a suspended account does not work, and a later change wins in both services', async () => {
    const { account } = await busyAccount();
    await expectOk(200, change('suspend', account.user_id));
    const as = { user_id: account.user_id };
    const { response: made } = await call('keys.v1.KeysService/Generate', { name: 'late' }, as);
    await expectSuspended({ path: '/v1/issuers', token: made.api_key });
    const identity = 'identity.v1.IdentityService/SetSuspension';
    const { response: old } = await call(identity, { user_id: account.user_id, suspended: true });
    await expectOk(200, change('restore', account.user_id));
    const late = { user_id: account.user_id, suspended: true, version: old.version };
    assert.equal((await call('keys.v1.KeysService/SetSuspension', late)).response.in_force, true);
    await expectOk(200, { path: '/v1/issuers', token: made.api_key });
});

it('an account that does not exist is 404, a reason that cannot be stored is 400, and nobody else may suspend', async () => {
    const account = await newAccount();
    for (const id of [randomUUID(), 'nobody']) {
        await expectError(404, change('suspend', id));
        await expectError(404, change('restore', id));
    }
    for (const reason of ['x'.repeat(501), 'a\0', 7]) {
        await expectError(400, change('suspend', account.user_id, { reason }));
    }
    for (const what of ['suspend', 'restore'] as const) {
        await expectError(401, { ...change(what, account.user_id), internal: false, token: account.token });
    }
    await expectOk(200, { path: '/v1/me', token: account.token });
});
