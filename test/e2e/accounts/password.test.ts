import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { type Account, login, newAccount, newKey } from '../support/world.ts';

const NEW = 'another horse battery';

const change = (token: string, currentPassword: unknown, newPassword: unknown, gateway = 0): Call => ({
    method: 'POST',
    path: '/v1/me/password',
    token,
    body: { current_password: currentPassword, new_password: newPassword },
    gateway,
});
/** A login from an address from which the test sends no wrong password. */
const loginElsewhere = (email: string, password: string): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/login',
    internal: true,
    headers: { 'X-Client-Address': '198.51.100.7' },
    body: { email, password },
});
const served = async (token: string): Promise<void> => {
    for (const gateway of [0, 1]) await expectOk(200, { path: '/v1/me', token, gateway });
};
const refused = async ({ token, refresh_token }: Pick<Account, 'token' | 'refresh_token'>): Promise<void> => {
    for (const gateway of [1, 0]) await expectError(401, { path: '/v1/me', token, gateway });
    await expectError(401, { path: '/internal/v1/auth/me', internal: true, token });
    const body = { refresh_token };
    await expectError(401, { method: 'POST', path: '/internal/v1/auth/refresh', internal: true, body });
};

describe('a change of the password', () => {
    it('replaces the old password from the next login on', async () => {
        const { token, email, password } = await newAccount();
        const { changed_at, ...more } = await expectOk(200, change(token, password, NEW));
        assert.deepEqual(more, {});
        assert.equal(new Date(changed_at).toISOString(), changed_at);
        await expectError(401, loginElsewhere(email, password));
        await expectOk(200, loginElsewhere(email, NEW));
        await expectError(401, change(token, password, 'a third horse battery'));
        await expectOk(200, change(token, NEW, password));
        await expectOk(200, loginElsewhere(email, password));
    });

    it('keeps the calling session and revokes all others at once on every gateway', async () => {
        const account = await newAccount();
        const others = [await login(account), await login(account)];
        for (const { token } of [account, ...others]) await served(token);
        await expectOk(200, change(account.token, account.password, NEW));
        for (const other of others) await refused(other);
        await served(account.token);
        const body = { refresh_token: account.refresh_token };
        const next = await expectOk(200, {
            method: 'POST',
            path: '/internal/v1/auth/refresh',
            internal: true,
            body,
        });
        await served(next.token);
    });

    it('does not affect API keys and other accounts', async () => {
        const [account, other] = [await newAccount(), await newAccount()];
        const { api_key } = await newKey(account);
        await expectOk(200, change(account.token, account.password, NEW));
        await expectOk(201, { method: 'POST', path: '/v1/did', token: api_key });
        await served(other.token);
        await login(other);
    });

    it('may set the same password again', async () => {
        const account = await newAccount();
        const other = await login(account);
        await expectOk(200, change(account.token, account.password, account.password));
        await refused(other);
        await login(account);
    });

    it('normalises Unicode, and counts characters', async () => {
        const { token, email, password } = await newAccount();
        await expectOk(200, change(token, password, 'A\u030angstro\u0308m'));
        await expectOk(200, loginElsewhere(email, '\u00c5ngstr\u00f6m'));
        await expectOk(200, change(token, '\u00c5ngstr\u00f6m', '😀'.repeat(8)));
        await expectOk(200, loginElsewhere(email, '😀'.repeat(8)));
    });

    it('gets 401 with the same text for a wrong current password of any length, and changes nothing', async () => {
        const account = await newAccount();
        const other = await login(account);
        const wrongs = ['', 'x', 'x'.repeat(account.password.length), 'x'.repeat(1_024)];
        const answers = await Promise.all(wrongs.map((wrong) => expectError(401, change(account.token, wrong, NEW))));
        assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
        await served(other.token);
        await login(account);
    });

    const bad: Record<string, (current: string) => unknown> = {
        'no body': () => undefined,
        'an array': () => [],
        'no current password': () => ({ new_password: NEW }),
        'no new password': (currentPassword) => ({ current_password: currentPassword }),
        'a null': (currentPassword) => ({ current_password: currentPassword, new_password: null }),
        'a number': (currentPassword) => ({ current_password: currentPassword, new_password: 1_234_567_890 }),
        'a current password that is a number': () => ({ current_password: 5, new_password: NEW }),
        '7 characters': (currentPassword) => ({ current_password: currentPassword, new_password: 'abcdefg' }),
        '7 emoji': (currentPassword) => ({ current_password: currentPassword, new_password: '😀'.repeat(7) }),
        '1,025 characters': (currentPassword) => ({
            current_password: currentPassword,
            new_password: 'x'.repeat(1_025),
        }),
        'a bad new password beside a wrong current one': () => ({ current_password: 'wrong', new_password: 'short' }),
    };
    for (const [name, body] of Object.entries(bad)) {
        it(`gets 400 for ${name}, and changes nothing`, async () => {
            const account = await newAccount();
            await expectError(400, { ...change(account.token, '', ''), body: body(account.password) });
            await login(account);
        });
    }

    it('is refused if the caller uses an API key', async () => {
        const account = await newAccount();
        const { api_key } = await newKey(account);
        await expectError(401, change(api_key, account.password, NEW));
        await login(account);
    });
});

/** Guesses a new account's password ten times. Returns the answers to a change and a login with the right one. */
async function afterTenGuesses() {
    const account = await newAccount();
    const { token, email, password } = account;
    for (let guess = 0; guess < 10; guess++) await expectError(401, change(token, `guess ${guess}`, NEW, guess % 2));
    const login = { method: 'POST', path: '/internal/v1/auth/login', body: { email, password } };
    const answers = await Promise.all([send(change(token, password, NEW)), send(login)] as const);
    return { account, answers };
}

it('after ten wrong current passwords, the right one and logins from the same address have to wait', async () => {
    // The wait is one second, and a busy machine may let it pass: then the test begins again.
    let round = await afterTenGuesses();
    for (let n = 0; n < 10 && round.answers.some(({ status }) => status === 200); n++) round = await afterTenGuesses();
    const { account, answers } = round;
    const [answer] = answers;
    assert.deepEqual(
        answers.map(({ status }) => status),
        [429, 429],
    );
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(wait >= 1);
    assert.match(answer.body.error, new RegExp(`\\d+ requests per minute.*Try again in ${wait} seconds?\\.`));
    await expectOk(200, loginElsewhere(account.email, account.password));
    await served(account.token);
});

it('exactly one of twenty changes of one password at once succeeds, and its new password is valid', async () => {
    const account = await newAccount();
    const wanted = Array.from({ length: 20 }, (_, index) => `new password ${index}`);
    const answers = await Promise.all(
        wanted.map((password, at) => send(change(account.token, account.password, password, at % 2))),
    );
    const won = wanted.filter((_, at) => answers[at]?.status === 200);
    assert.equal(won.length, 1);
    for (const { status, headers } of answers) {
        assert.ok([200, 401, 429].includes(status), `${status}`);
        if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1);
    }
    await expectOk(200, loginElsewhere(account.email, won[0] ?? ''));
    await expectError(401, loginElsewhere(account.email, account.password));
    await served(account.token);
});

it('logins with the old password that race its change leave no valid session', async () => {
    const account = await newAccount();
    const racing = Array.from({ length: 10 }, (_, at) =>
        send({ ...loginElsewhere(account.email, account.password), gateway: at % 2 }),
    );
    const [, ...logins] = await Promise.all([
        expectOk(200, change(account.token, account.password, NEW, 1)),
        ...racing,
    ]);
    for (const { status, data } of logins) if (status === 200) await refused(data);
    await served(account.token);
});
