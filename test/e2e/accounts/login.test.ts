import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { newAccount, newEmail, newKey, register } from '../support/world.ts';

const login = (body: unknown, more: Partial<Call> = {}): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/login',
    body,
    ...more,
});
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const account = await register('Grüße, Åsa 8');

describe('login', () => {
    it('answers with the account, a pair of tokens, and the exp of the access token as expires_at', async () => {
        const { email, password, user_id } = account;
        const data = await expectOk(200, login({ email, password }));
        const { token, refresh_token, expires_at, ...user } = data;
        assert.deepEqual(user, { user_id, email, name: null, tier: 'free' });
        const [access, refresh] = [claimsOf(token), claimsOf(refresh_token)];
        assert.deepEqual([access.sub, access.email, access.tier], [user_id, email, 'free']);
        assert.equal(expires_at, new Date(access.exp * 1_000).toISOString());
        assert.equal(access.exp - access.iat, 12 * 3_600);
        assert.equal(refresh.exp - refresh.iat, 30 * 86_400);
        assert.notEqual(token, refresh_token);
        assert.ok(!JSON.stringify([access, refresh]).includes('password'));
    });

    it('issues different tokens each time, all of them valid', async () => {
        const { email, password } = account;
        const sessions = await Promise.all([1, 2, 3].map(() => expectOk(200, login({ email, password }))));
        const tokens = sessions.flatMap(({ token, refresh_token }) => [token, refresh_token]);
        assert.equal(new Set(tokens).size, 6);
        for (const { token } of sessions) await expectOk(200, { path: '/v1/me', token, gateway: 1 });
    });

    it('needs no internal secret, and ignores a wrong one', async () => {
        const { email, password } = account;
        await expectOk(200, login({ email, password }, { headers: { 'X-Internal-Secret': 'wrong' } }));
        await expectOk(200, login({ email, password }, { internal: true }));
    });

    it('accepts the address in any letter case and with blanks around it', async () => {
        const { email, password } = account;
        for (const written of [email.toUpperCase(), `  ${email}\t`]) {
            assert.equal((await expectOk(200, login({ email: written, password }))).email, email);
        }
    });

    it('accepts only the exact password, but in any Unicode normalisation form', async () => {
        const { email, password } = account;
        for (const form of ['NFC', 'NFD'] as const) {
            await expectOk(200, login({ email, password: password.normalize(form) }));
        }
        for (const wrong of [password.toUpperCase(), `${password} `, ` ${password}`, password.slice(0, -1), '']) {
            await expectError(401, login({ email, password: wrong }));
        }
        await expectOk(200, login({ email, password }));
    });

    it('refuses a wrong password and an unknown address with the same text', async () => {
        const wrong = await expectError(401, login({ email: account.email, password: 'not the password' }));
        for (const email of [
            newEmail(),
            'no address',
            '@',
            'a\u0000b@example.com',
            `${'a'.repeat(5_000)}@example.com`,
        ]) {
            const answer = await send(login({ email, password: 'not the password' }));
            if (email.includes('\u0000')) assert.equal(answer.status, 400);
            else assert.deepEqual([answer.status, answer.text], [401, wrong.text], email.slice(0, 20));
        }
    });

    const malformed: Record<string, unknown> = {
        'no body': undefined,
        'an empty object': {},
        'no password': { email: 'a@example.com' },
        'no email': { password: 'correct horse battery' },
        'a null password': { email: 'a@example.com', password: null },
        'a null email': { email: null, password: 'correct horse battery' },
        'a password that is a number': { email: 'a@example.com', password: 12_345_678 },
        'a password that is an array': { email: 'a@example.com', password: ['correct horse battery'] },
        'an email that is an object': { email: { $ne: null }, password: 'correct horse battery' },
        'an email that is true': { email: true, password: 'correct horse battery' },
        'a password above the longest length': { email: 'a@example.com', password: 'x'.repeat(1_025) },
        'an array': [{ email: 'a@example.com', password: 'correct horse battery' }],
        'broken JSON': '{"email":"a@example.com",',
        'a duplicate key': '{"email":"a@example.com","email":"b@example.com","password":"correct horse battery"}',
    };
    for (const [name, body] of Object.entries(malformed)) {
        it(`answers 400 to ${name}`, async () => void (await expectError(400, login(body))));
    }
});

describe('/internal/v1/auth/me', () => {
    const me = (more: Partial<Call>): Call => ({ path: '/internal/v1/auth/me', internal: true, ...more });

    it('answers with the account and the time of its last login', async () => {
        const { token, user_id, email } = await newAccount();
        const { created_at, last_login_at, ...user } = await expectOk(200, me({ token }));
        assert.deepEqual(user, { user_id, email, name: null, tier: 'free' });
        assert.ok(new Date(created_at).toISOString() === created_at && last_login_at >= created_at);
        assert.equal((await expectOk(200, { path: '/v1/me', token })).last_login_at, last_login_at);
    });

    it('needs both the secret and a session token', async () => {
        const session = await newAccount();
        const { api_key } = await newKey(session);
        await expectError(401, me({}));
        await expectError(401, me({ token: session.token, internal: false }));
        await expectError(401, me({ token: session.refresh_token }));
        await expectError(401, me({ token: api_key }));
        await expectError(401, me({ token: 'nonsense' }));
    });
});
