import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { database } from '../support/database.ts';
import { login, newAccount } from '../support/world.ts';

const db = await database('identity');
const REFRESH = '/internal/v1/auth/refresh';
const LOGOUT = '/internal/v1/auth/logout';

const post = (path: string, body: unknown, gateway = 0): Call => ({
    method: 'POST',
    path,
    internal: true,
    body,
    gateway,
});
const refresh = (refreshToken: unknown, gateway = 0): Call => post(REFRESH, { refresh_token: refreshToken }, gateway);
const logout = (token: unknown, gateway = 0): Call => post(LOGOUT, { token }, gateway);
const sessionOf = (token: string): string =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid;

/** served() asserts that both gateways accept a token, so that both cache its auth state. */
const served = async (token: string): Promise<void> => {
    for (const gateway of [0, 1]) await expectOk(200, { path: '/v1/me', token, gateway });
};
/** Asserts that both gateways and the internal endpoint refuse a token. */
const refused = async (token: string): Promise<void> => {
    for (const gateway of [1, 0]) await expectError(401, { path: '/v1/me', token, gateway });
    await expectError(401, { path: '/internal/v1/auth/me', internal: true, token });
};

describe('refresh', () => {
    it('returns a new pair, spends the old refresh token, and keeps the old access token valid', async () => {
        const { token, refresh_token } = await newAccount();
        const { expires_at, ...next } = await expectOk(200, refresh(refresh_token));
        assert.deepEqual(Object.keys(next), ['token', 'refresh_token']);
        assert.equal(new Set([token, refresh_token, next.token, next.refresh_token]).size, 4);
        assert.ok(Date.parse(expires_at) > Date.now() + 11 * 3_600_000);
        await expectError(401, refresh(refresh_token, 1));
        await served(token);
        await served(next.token);
        await expectOk(200, refresh(next.refresh_token, 1));
    });

    it('succeeds for exactly one of twenty calls at once on both gateways, and its tokens stay valid', async () => {
        const { refresh_token } = await newAccount();
        const answers = await Promise.all(
            Array.from({ length: 20 }, (_, call) => send(refresh(refresh_token, call % 2))),
        );
        const [winner, ...others] = answers.filter(({ status }) => status === 200);
        assert.ok(winner && others.length === 0);
        assert.equal(answers.filter(({ status }) => status === 401).length, 19);
        await served(winner.data.token);
        await expectOk(200, refresh(winner.data.refresh_token));
    });

    it('with a token spent more than 30 s ago revokes the session on both gateways', async () => {
        const { token, refresh_token } = await newAccount();
        const next = await expectOk(200, refresh(refresh_token));
        await served(token);
        await served(next.token);
        await db.query(`UPDATE identity.spent_refreshes SET spent_at = now() - interval '31 s' WHERE session_id = $1`, [
            sessionOf(token),
        ]);
        await expectError(401, refresh(refresh_token));
        await refused(token);
        await refused(next.token);
        await expectError(401, refresh(next.refresh_token));
    });

    it('with a token spent just now is refused, but does not revoke the session', async () => {
        const { refresh_token } = await newAccount();
        const next = await expectOk(200, refresh(refresh_token));
        await expectError(401, refresh(refresh_token));
        await served(next.token);
        await expectOk(200, refresh(next.refresh_token));
    });

    const malformed: Record<string, unknown> = {
        'no body': undefined,
        'an empty object': {},
        null: { refresh_token: null },
        'a number': { refresh_token: 5 },
        'an array': { refresh_token: [] },
        'an empty string': { refresh_token: '' },
        'the token under another name': { token: 'x' },
    };
    for (const [name, body] of Object.entries(malformed)) {
        it(`answers 400 to ${name}`, async () => void (await expectError(400, post(REFRESH, body))));
    }
    for (const text of ['not a JWT', 'a.b.c', '..', 'é.é.é', ' ']) {
        it(`answers 401 to ${JSON.stringify(text)}`, async () => void (await expectError(401, refresh(text))));
    }
});

describe('logout', () => {
    for (const by of ['token', 'refresh_token'] as const) {
        it(`by the ${by} revokes both tokens from the next call on, on the other gateway too`, async () => {
            const session = await newAccount();
            await served(session.token);
            const { logged_out_at, ...more } = await expectOk(200, logout(session[by]));
            assert.equal(new Date(logged_out_at).toISOString(), logged_out_at);
            assert.deepEqual(more, {});
            await refused(session.token);
            await expectError(401, refresh(session.refresh_token, 1));
        });
    }

    it('does not affect other sessions and later logins of the account', async () => {
        const account = await newAccount();
        const second = await login(account);
        await expectOk(200, logout(account.token));
        await served(second.token);
        await expectOk(200, refresh(second.refresh_token));
        await served((await login(account)).token);
    });

    it('revokes every pair of tokens of the session', async () => {
        const first = await newAccount();
        const next = await expectOk(200, refresh(first.refresh_token));
        await served(first.token);
        await served(next.token);
        await expectOk(200, logout(first.token, 1));
        await refused(first.token);
        await refused(next.token);
        await expectError(401, refresh(next.refresh_token));
    });

    it('can be repeated, and twenty calls at once all succeed with the same time', async () => {
        const { token, refresh_token } = await newAccount();
        await served(token);
        const times = await Promise.all(
            Array.from({ length: 20 }, async (_, call) => {
                const { logged_out_at } = await expectOk(200, logout(call < 10 ? token : refresh_token, call % 2));
                return logged_out_at;
            }),
        );
        times.push((await expectOk(200, logout(token))).logged_out_at);
        assert.equal(new Set(times).size, 1);
        await refused(token);
    });

    it('leaves no valid token when it races a refresh', async () => {
        const { token, refresh_token } = await newAccount();
        await served(token);
        const [, refreshed] = await Promise.all([expectOk(200, logout(token)), send(refresh(refresh_token, 1))]);
        await refused(token);
        if (refreshed.status === 200) {
            await refused(refreshed.data.token);
            await expectError(401, refresh(refreshed.data.refresh_token));
        }
    });

    const malformed: Record<string, unknown> = {
        'no body': undefined,
        'an empty object': {},
        null: { token: null },
        'a number': { token: 5 },
        'an array': { token: ['x'] },
        'an empty string': { token: '' },
        'a string that is not a token': { token: 'not a JWT' },
        'the token under another name': { refresh_token: 'x' },
    };
    for (const [name, body] of Object.entries(malformed)) {
        it(`answers 400 to ${name}`, async () => void (await expectError(400, post(LOGOUT, body))));
    }
});
