import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { newEmail } from '../support/world.ts';

const PASSWORD = 'correct horse battery';
const REGISTER = '/internal/v1/auth/register';
const register = (body: unknown, gateway = 0): Call => ({
    method: 'POST',
    path: REGISTER,
    internal: true,
    body,
    gateway,
});
const login = (email: string, password: string): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/login',
    body: { email, password },
});
const unique = (): string => randomUUID().slice(0, 8);

it('a registration answers with the new account in the free tier, without its password', async () => {
    const email = newEmail();
    const before = Date.now();
    const { user_id, created_at, ...user } = await expectOk(
        201,
        register({ email, password: PASSWORD, name: ' Ada ' }),
    );
    assert.deepEqual(user, { email, name: 'Ada', tier: 'free' });
    assert.match(user_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Math.abs(Date.parse(created_at) - before) < 60_000);
});

it('a registration ignores fields that a client cannot set', async () => {
    const body = {
        email: newEmail(),
        password: PASSWORD,
        tier: 'enterprise',
        user_id: 'mine',
        is_admin: true,
        created_at: 0,
    };
    const user = await expectOk(201, register({ ...body, __proto__: { tier: 'pro' } }));
    assert.equal(user.tier, 'free');
    assert.notEqual(user.user_id, 'mine');
    assert.ok(!('is_admin' in user) && Date.parse(user.created_at) > 0);
});

describe('a second registration of an address gets 409 if it sends the address', () => {
    const ascii = `kit-${unique()}@example.com`;
    const accented = `zoë-${unique()}@example.com`;
    const same: Array<[string, string, string]> = [
        ['unchanged', ascii, ascii],
        ['in capitals', ascii, ascii.toUpperCase()],
        ['with blanks around it', ascii, ` ${ascii}\n`],
        ['with a Kelvin sign for its k', ascii, ascii.replace('k', '\u212a')],
        ['in full-width letters', ascii, ascii.replace('kit', '\uff4b\uff49\uff54')],
        ['in the other normalisation form', accented.normalize('NFC'), accented.normalize('NFD')],
    ];
    for (const [name, first, second] of same) {
        it(name, async () => {
            await send(register({ email: first, password: PASSWORD }));
            const answer = await expectError(409, register({ email: second, password: PASSWORD }, 1));
            assert.match(answer.body.error, /already registered/i);
        });
    }
});

it('exactly one of twenty registrations of one address at once on both gateways succeeds', async () => {
    const email = newEmail();
    const bodies = Array.from({ length: 20 }, (_, at) => ({ email, password: `${PASSWORD} ${at}` }));
    const answers = await Promise.all(bodies.map((body, at) => send(register(body, at % 2))));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.equal(answers.filter(({ status }) => status === 409).length, 19);
    const winner = bodies[answers.findIndex(({ status }) => status === 201)];
    await expectOk(200, login(email, winner?.password ?? ''));
});

describe('a registration accepts an email with', () => {
    const u = unique();
    const good: Record<string, string> = {
        'a plus': `a+tag-${u}@example.com`,
        'dots and signs': `a.b_c-d!#$%&'*/=?^{|}~-${u}@example.com`,
        'a local part of 64 characters': `${u}${'a'.repeat(56)}@example.com`,
        'many labels': `a@${u}.mail.example.co.uk`,
        'a punycode domain': `${u}@xn--bcher-kva.example`,
        'a local part in another script': `用户${u}@example.com`,
        digits: `1${u}@123.example`,
        '254 characters': `${u}@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(58)}.ex`,
    };
    for (const [name, email] of Object.entries(good)) {
        it(name, async () => {
            assert.equal((await expectOk(201, register({ email, password: PASSWORD }))).email, email);
            await expectOk(200, login(email, PASSWORD));
        });
    }

    it('a domain in another script, which is one account with its ASCII form', async () => {
        const [sent, ascii] = [`unicode-${u}@bücher.example`, `unicode-${u}@xn--bcher-kva.example`];
        assert.equal((await expectOk(201, register({ email: sent, password: PASSWORD }))).email, ascii);
        for (const email of [sent, ascii]) await expectOk(200, login(email, PASSWORD));
        await expectError(409, register({ email: ascii, password: PASSWORD }));
    });
});

describe('a registration gets 400 for an email that is', () => {
    const bad: Record<string, unknown> = {
        missing: undefined,
        null: null,
        'a number': 5,
        'an array': ['a@example.com'],
        'an object': { a: 1 },
        true: true,
        empty: '',
        blank: '   ',
        'without @': 'example.com',
        'with two @': 'a@b@example.com',
        'with a quoted @': '"a@b"@example.com',
        'without local part': '@example.com',
        'without domain': 'a@',
        'with one label': 'a@localhost',
        'with an empty label': 'a@example..com',
        'with a dot before its domain': 'a@.example.com',
        'with a dot after its domain': 'a@example.com.',
        'with a hyphen before a label': 'a@-example.com',
        'with a hyphen after a label': 'a@example-.com',
        'with a hyphen after the last label': 'a@example.com-',
        'with a blank inside': 'a b@example.com',
        'with a tab inside': 'a\tb@example.com',
        'with a line break inside': 'a@example.com\r\nBcc: b@example.com',
        'with NUL': 'a\u0000@example.com',
        'with a zero-width space': 'a\u200b@example.com',
        'with a right-to-left mark': 'a\u200f@example.com',
        'with a soft hyphen': 'a\u00ad@example.com',
        'with a no-break space': 'a\u00a0b@example.com',
        'with a control character': 'a\u0007@example.com',
        'with a local part of 65 characters': `${'a'.repeat(65)}@example.com`,
        '255 characters long':
            `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.example.c`.padEnd(255, 'm'),
        '10,000 characters long': `${'a'.repeat(10_000)}@example.com`,
    };
    for (const [name, email] of Object.entries(bad)) {
        it(name, async () => void (await expectError(400, register({ email, password: PASSWORD }))));
    }
    it('with a lone surrogate', async () => {
        await expectError(400, register(`{"email":"a\\ud800@example.com","password":"${PASSWORD}"}`));
    });
});

describe('a registration gets 400 for a body that is not a valid object:', () => {
    for (const body of [
        '[]',
        '"text"',
        'null',
        '5',
        '',
        '{',
        `{"email":"a@example.com","email":"b@example.com","password":"${PASSWORD}"}`,
    ]) {
        it(body.slice(0, 30) || 'no body', async () => void (await expectError(400, register(body))));
    }
});
