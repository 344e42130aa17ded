import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk } from '../support/client.ts';
import { newEmail } from '../support/world.ts';

const post = (path: string, body: unknown): Call => ({ method: 'POST', path, internal: true, body });
const register = (email: string, password: unknown, name?: unknown): Call =>
    post('/internal/v1/auth/register', { email, password, name });
const login = (email: string, password: string): Call => post('/internal/v1/auth/login', { email, password });

describe('a password may be', () => {
    const good: Record<string, string> = {
        '8 characters': 'abcdefgh',
        '1,024 characters': 'x'.repeat(1_024),
        '1,024 emoji': '😀'.repeat(1_024),
        '8 emoji': '😀'.repeat(8),
        '8 blanks': ' '.repeat(8),
        'all lower case': 'aaaaaaaa',
        'quotes and backslashes': `"'\\\\""''`,
        'another script': 'пароль-пароль',
        'decomposed letters': 'A\u030angstro\u0308m',
    };
    for (const [name, password] of Object.entries(good)) {
        it(name, async () => {
            const email = newEmail();
            await expectOk(201, register(email, password));
            await expectOk(200, login(email, password));
            await expectOk(200, login(email, password.normalize('NFC')));
        });
    }
    it('the email address of the account', async () => {
        const email = newEmail();
        await expectOk(201, register(email, email));
        await expectOk(200, login(email, email));
    });
});

describe('a registration gets 400 and writes nothing if the password is', () => {
    const bad: Record<string, unknown> = {
        missing: undefined,
        null: null,
        empty: '',
        '7 characters': 'abcdefg',
        '7 emoji, which are 14 code units': '😀'.repeat(7),
        '1,025 characters': 'x'.repeat(1_025),
        '100,000 characters': 'x'.repeat(100_000),
        'a number': 12_345_678,
        'an array': ['abcdefgh'],
        'an object': { length: 8 },
        true: true,
    };
    for (const [name, password] of Object.entries(bad)) {
        it(name, async () => {
            const email = newEmail();
            const answer = await expectError(400, register(email, password));
            assert.ok(typeof password !== 'string' || password === '' || !answer.text.includes(password));
            await expectOk(201, register(email, 'correct horse battery'));
        });
    }
    it('a megabyte long (413)', async () => void (await expectError(413, register(newEmail(), 'x'.repeat(1 << 20)))));
});

it('passwords of 200 characters that differ in the last one are different', async () => {
    const [one, other] = [newEmail(), newEmail()];
    const long = 'x'.repeat(199);
    await expectOk(201, register(one, `${long}1`));
    await expectOk(201, register(other, `${long}2`));
    await expectError(401, login(one, `${long}2`));
    await expectError(401, login(other, `${long}1`));
    await expectOk(200, login(one, `${long}1`));
});

describe('a name', () => {
    const good: Array<[string, unknown, string | null]> = [
        ['is optional', undefined, null],
        ['may be null', null, null],
        ['is trimmed', '  Ada  ', 'Ada'],
        ['may have 255 characters', '😀'.repeat(255), '😀'.repeat(255)],
        ['may be markup, and is kept unchanged', '<script>alert(1)</script>', '<script>alert(1)</script>'],
        ['may be in any script', 'Ադա \u202e שלום\uffff', 'Ադա \u202e שלום\uffff'],
    ];
    for (const [name, sent, kept] of good) {
        it(name, async () => {
            const email = newEmail();
            assert.equal((await expectOk(201, register(email, 'correct horse', sent))).name, kept);
            const { token, name: atLogin } = await expectOk(200, login(email, 'correct horse'));
            assert.equal(atLogin, kept);
            assert.equal((await expectOk(200, { path: '/v1/me', token })).name, kept);
        });
    }
    for (const bad of ['', '   ', 'x'.repeat(256), 'x'.repeat(10_000), 'a\u0000b', 5, true, ['Ada'], {}]) {
        it(`may not be ${JSON.stringify(bad).slice(0, 20)}`, async () => {
            await expectError(400, register(newEmail(), 'correct horse', bad));
        });
    }
    it('may not have a lone surrogate', async () => {
        const body = `{"email":"${newEmail()}","password":"correct horse","name":"a\\udc00"}`;
        await expectError(400, post('/internal/v1/auth/register', body));
    });
});
