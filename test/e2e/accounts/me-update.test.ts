import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { login, newAccount, newEmail, newKey, register } from '../support/world.ts';

const patch = (token: string, body?: unknown, gateway = 0): Call => ({
    method: 'PATCH',
    path: '/v1/me',
    token,
    body,
    gateway,
});
const me = (token: string) => expectOk(200, { path: '/v1/me', token, gateway: 1 });

describe('PATCH /v1/me', () => {
    it('changes the name and the address, and answers with the new values', async () => {
        const { token, user_id } = await newAccount();
        const email = newEmail();
        const sent = { name: '  Grace 😀 ', email: `  ${email.toUpperCase()} ` };
        const { updated_at, ...user } = await expectOk(200, patch(token, sent));
        assert.deepEqual(user, { user_id, email, name: 'Grace 😀' });
        assert.equal(new Date(updated_at).toISOString(), updated_at);
        const { name, email: current, tier } = await me(token);
        assert.deepEqual([name, current, tier], ['Grace 😀', email, 'free']);
    });

    it('keeps fields that the body does not name', async () => {
        const { token, email } = await newAccount();
        const named = await expectOk(200, patch(token, { name: 'Ada' }));
        assert.equal(named.email, email);
        const moved = await expectOk(200, patch(token, { email: newEmail() }));
        assert.equal(moved.name, 'Ada');
    });

    it('lets the account log in with the new address only', async () => {
        const { token, email, password } = await newAccount();
        const moved = newEmail();
        await expectOk(200, patch(token, { email: moved }));
        await login({ email: moved, password });
        const body = { email, password };
        await expectError(401, { method: 'POST', path: '/internal/v1/auth/login', body });
    });

    const nothing: Record<string, unknown> = {
        'an empty object': {},
        'no body': undefined,
        'a null email': { email: null },
        'a tier': { tier: 'enterprise' },
        'fields that cannot be changed': { user_id: 'x', created_at: 'x', password: 'x', stats: {} },
    };
    for (const [name, body] of Object.entries(nothing)) {
        it(`changes nothing for ${name}`, async () => {
            const { token } = await newAccount();
            const before = await expectOk(200, patch(token, { name: 'Ada' }));
            const account = await me(token);
            assert.deepEqual(await expectOk(200, patch(token, body)), before);
            assert.deepEqual(await me(token), account);
        });
    }

    it('removes the name if it is null', async () => {
        const { token, email } = await newAccount();
        await expectOk(200, patch(token, { name: 'Ada' }));
        const { name, email: kept } = await expectOk(200, patch(token, { name: null, email: null }));
        assert.deepEqual([name, kept], [null, email]);
        assert.equal((await me(token)).name, null);
        assert.equal((await expectOk(200, patch(token, { name: null }))).name, null);
    });

    it('accepts the account’s own address, in any spelling', async () => {
        const { token, email } = await newAccount();
        assert.equal((await expectOk(200, patch(token, { email }))).email, email);
        assert.equal((await expectOk(200, patch(token, { email: email.toUpperCase() }))).email, email);
    });

    it('refuses another account’s address with 409, in any spelling, and changes nothing', async () => {
        const [{ token, email }, other] = [await newAccount(), await register()];
        for (const taken of [other.email, ` ${other.email.toUpperCase()}`, other.email.replace('@', '\uff20')]) {
            const { body } = await expectError(409, patch(token, { email: taken, name: 'Grace' }, 1));
            assert.ok(!body.error.includes(other.user_id));
        }
        const account = await me(token);
        assert.deepEqual([account.email, account.name], [email, null]);
    });

    const bad: Record<string, unknown> = {
        'an empty name': { name: '' },
        'a blank name': { name: ' \t\n' },
        'a name that is a number': { name: 5 },
        'a name that is a boolean': { name: false },
        'a name that is an array': { name: ['Ada'] },
        'a name of 256 characters': { name: 'x'.repeat(256) },
        'a name with NUL': { name: 'a\u0000b' },
        'a name with a lone surrogate': '{"name":"a\\ud800"}',
        'an email without @': { email: 'nobody' },
        'an empty email': { email: '' },
        'an email that is a number': { email: 5 },
        'an email that is an object': { email: {} },
        'an email with a NUL': { email: 'a\u0000@example.com' },
        'an array': [],
        'a string': '"name"',
        'a good name and a bad email': { name: 'Grace', email: 'nobody' },
    };
    for (const [name, body] of Object.entries(bad)) {
        it(`answers 400 to ${name}, and changes nothing`, async () => {
            const { token } = await newAccount();
            const account = await me(token);
            await expectError(400, patch(token, body));
            assert.deepEqual(await me(token), account);
        });
    }

    it('refuses API keys', async () => {
        const { api_key } = await newKey(await newAccount());
        await expectError(401, patch(api_key, { name: 'Grace' }));
    });
});

it('exactly one of fifty accounts that request the same free address at once gets it', async () => {
    const accounts = await Promise.all(Array.from({ length: 50 }, newAccount));
    const email = newEmail();
    const answers = await Promise.all(accounts.map(({ token }, at) => send(patch(token, { email }, at % 2))));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array<number>(49).fill(409)]);
});

it('an address that a change and a registration request at once goes to exactly one of them', async () => {
    for (let round = 0; round < 10; round++) {
        const { token } = await newAccount();
        const email = newEmail();
        const body = { email, password: 'correct horse' };
        const [changed, registered] = await Promise.all([
            send(patch(token, { email })),
            send({ method: 'POST', path: '/internal/v1/auth/register', internal: true, body, gateway: 1 }),
        ]);
        assert.deepEqual([changed.status, registered.status].sort(), changed.status === 200 ? [200, 409] : [201, 409]);
    }
});
