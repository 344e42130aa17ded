import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { type Call, expectError, expectOk, send, service } from '../support/client.ts';
import { sendRaw } from '../support/raw.ts';
import { issueBody, newAccount, newDid, newEmail, newKey } from '../support/world.ts';

const account = await newAccount();
const issuer = await newDid(account.token);
const issueWith = (token: string, key: string, more = {}): Call => ({
    method: 'POST',
    path: '/v1/credentials',
    token,
    headers: { 'idempotency-key': key },
    body: issueBody(issuer, 'did:web:subject.example', more),
});

it('the API keys and the sessions of an account share their Idempotency-Keys', async () => {
    const key = randomUUID();
    const first = await send(issueWith(account.token, key));
    const { api_key } = await newKey(account);
    const again = await send(issueWith(api_key, key));
    assert.deepEqual([again.status, again.text], [201, first.text]);
});

it('an Idempotency-Key of another account is another key', async () => {
    const key = randomUUID();
    const stranger = await newAccount();
    const first = await expectOk(201, issueWith(account.token, key));
    const second = await expectOk(201, issueWith(stranger.token, key));
    assert.notEqual(second.credential_id, first.credential_id);
});

it('the order of the fields and the white space of a body do not make another request, the claims do', async () => {
    const call = issueWith(account.token, randomUUID());
    const first = await send(call);
    const body = call.body as Record<string, unknown>;
    const reversed = JSON.stringify({ unknown: 1, ...Object.fromEntries(Object.entries(body).reverse()) });
    const again = await send({ ...call, body: reversed.replaceAll('","', '" , "') });
    assert.deepEqual([again.status, again.text], [201, first.text]);
    await expectError(422, { ...call, body: reversed.replace('"role"', ' "role"') });
});

it('a repeated call counts against the rate limit, and not as issued', async () => {
    const owner = await newAccount();
    const call = { ...issueWith(owner.token, randomUUID()) };
    const first = await send(call);
    const again = await send(call);
    const left = (answer: typeof first) => Number(answer.headers.get('x-ratelimit-remaining'));
    assert.equal(left(again), left(first) - 1);
    const { credentials } = await expectOk(200, { path: '/v1/me/stats', token: owner.token });
    assert.equal(credentials.total_issued, 1);
});

it('two header fields are refused, whatever they contain', async () => {
    const { path, body } = issueWith(account.token, '');
    for (const [one, other] of [
        ['a', 'a'],
        ['"a"', '"b"'],
        ['"a', 'b"'],
    ] as const) {
        const { status, text } = await sendRaw({
            method: 'POST',
            path,
            headers: [
                ['Authorization', `Bearer ${account.token}`],
                ['Content-Type', 'application/json'],
                ['Idempotency-Key', one],
                ['Idempotency-Key', other],
            ],
            body: JSON.stringify(body),
        });
        assert.equal(status, 400);
        assert.match(JSON.parse(text).error, /^Idempotency-Key must be sent once/);
    }
});

it('the scopes of a key may be repeated in another order', async () => {
    const me = service.as(await newAccount());
    const options = { idempotency_key: randomUUID() };
    const scopes = ['dids:read', 'credentials:issue'] as const;
    const first = await me.keys.generate({ name: 'one', scopes: [...scopes] }, options);
    assert.deepEqual(await me.keys.generate({ name: 'one', scopes: scopes.toReversed() }, options), first);
});

it('an answer with a secret needs an Idempotency-Key of 16 characters', async () => {
    const headers = { 'idempotency-key': '0123456789abcde' };
    for (const [path, body] of [
        ['/v1/did', {}],
        ['/v1/keys/generate', { name: 'a' }],
    ] as const) {
        const { body: refusal } = await expectError(400, {
            method: 'POST',
            path,
            token: account.token,
            headers,
            body,
        });
        assert.match(refusal.error, /at least 16 characters/);
    }
});

it('a refused call leaves the Idempotency-Key free', async () => {
    const key = randomUUID();
    await expectError(400, issueWith(account.token, key, { claims: 'none' }));
    await expectOk(201, issueWith(account.token, key));
});

it('an address that is taken, or a used-up limit of keys, leaves the Idempotency-Key free', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const registration = (email: string): Call => ({
        method: 'POST',
        path: '/internal/v1/auth/register',
        internal: true,
        headers,
        body: { email, password: 'correct horse battery' },
    });
    await expectError(409, registration(account.email));
    await expectOk(201, registration(newEmail()));

    const { token } = await newAccount();
    const generate = { method: 'POST', path: '/v1/keys/generate', token, body: { name: 'key' } };
    const keys = await Promise.all(Array.from({ length: 20 }, () => expectOk(201, generate)));
    await expectError(403, { ...generate, headers });
    await expectOk(200, { method: 'DELETE', path: `/v1/keys/${keys[0].key_id}`, token });
    const made = await expectOk(201, { ...generate, headers });
    assert.deepEqual(await expectOk(201, { ...generate, headers }), made); // although the limit is used up again
});

it('an endpoint that creates nothing ignores the header', async () => {
    await expectOk(200, { path: '/v1/me', token: account.token, headers: { 'idempotency-key': '"' } });
});

it('a repeated batch of users creates the accounts that are missing, and those that are appended, and no other', async () => {
    const user = () => ({ email: newEmail(), password: 'correct horse battery' });
    const users = [user(), { email: 'nobody', password: 'correct horse battery' }, user()];
    const headers = { 'idempotency-key': randomUUID() };
    const batch = { method: 'POST', path: '/internal/v1/admin/users/batch', internal: true, headers };
    const first = await send({ ...batch, body: { users } });
    assert.equal(first.data.total_created, 2);
    const again = await send({ ...batch, body: { users } });
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true']);
    const extra = user();
    const longer = await send({ ...batch, body: { users: [...users, extra] } });
    assert.deepEqual(longer.data.created.slice(0, 2), first.data.created);
    assert.equal(longer.data.created[2].email, extra.email);
    assert.deepEqual(longer.data.failed, first.data.failed);
    const changed = [{ ...users[0], name: 'Ada' }, ...users.slice(1)];
    await expectError(422, { ...batch, body: { users: changed } });
});

it('another password with the Idempotency-Key of a wallet is refused, and counts as a wrong password', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const call = (password: string): Call => ({
        method: 'POST',
        path: '/v1/wallets',
        token: account.token,
        headers,
        body: { name: 'wallet', password },
    });
    await expectOk(201, call('wallet password'));
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 12; attempt++) statuses.add((await send(call(`guess ${attempt}`))).status);
    assert.deepEqual([...statuses], [422, 429]);
});

it('another password with the Idempotency-Key of a registration is refused, and counts as a wrong password', async () => {
    const body = { email: newEmail(), password: 'correct horse battery' };
    const headers = { 'idempotency-key': randomUUID() };
    const call = { method: 'POST', path: '/internal/v1/auth/register', internal: true, headers };
    const first = await send({ ...call, body });
    assert.deepEqual((await send({ ...call, body })).text, first.text);
    const statuses = new Set<number>();
    for (let guess = 0; guess < 12; guess++) {
        statuses.add((await send({ ...call, body: { ...body, password: `a guess ${guess}` } })).status);
    }
    assert.deepEqual([...statuses], [422, 429]);
    await expectError(429, { ...call, body });
    await expectError(429, { method: 'POST', path: '/internal/v1/auth/login', internal: true, body }); // one count
});

it('another password in a repeated batch of users fails alone, and counts as a wrong password', async () => {
    const [guessed, kept] = [newEmail(), newEmail()];
    const headers = { 'idempotency-key': randomUUID() };
    const batch = (password: string): Call => ({
        method: 'POST',
        path: '/internal/v1/admin/users/batch',
        internal: true,
        headers,
        body: {
            users: [
                { email: guessed, password },
                { email: kept, password: 'correct horse battery' },
            ],
        },
    });
    assert.equal((await expectOk(200, batch('first password'))).total_created, 2);
    const errors: string[] = [];
    for (let guess = 0; guess < 11; guess++) {
        const { created, failed } = await expectOk(200, batch(`a guess ${guess}`));
        assert.deepEqual([created[0].email, failed[0].email], [kept, guessed]);
        errors.push(failed[0].error);
    }
    const used = 'This Idempotency-Key was used for another request.';
    assert.deepEqual(errors.slice(0, 10), Array(10).fill(used));
    assert.match(errors[10] ?? '', /requests per minute exceeded by wrong passwords/);
});
