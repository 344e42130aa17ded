import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk } from '../support/client.ts';
import { newEmail, register } from '../support/world.ts';

const PASSWORD = 'correct horse battery';
const batch = (users: unknown, gateway = 0): Call => ({
    method: 'POST',
    path: '/internal/v1/admin/users/batch',
    internal: true,
    body: { users },
    gateway,
});
const login = (email: string, password = PASSWORD): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/login',
    body: { email, password },
});

describe('a batch', () => {
    it('creates accounts of every tier, in the order of the items, and they can log in', async () => {
        const users = ['free', 'basic', 'pro', 'enterprise', undefined].map((tier) => ({
            email: newEmail(),
            password: PASSWORD,
            tier,
        }));
        const { created, ...rest } = await expectOk(200, batch(users));
        assert.deepEqual(rest, { failed: [], total_created: 5, total_failed: 0 });
        for (const [index, user] of users.entries()) {
            const { user_id, ...account } = created[index];
            const tier = user.tier ?? 'free';
            assert.deepEqual(account, { email: user.email, tier });
            const session = await expectOk(200, login(user.email));
            assert.deepEqual([session.user_id, session.tier], [user_id, tier]);
        }
    });

    it('handles each item separately, and says why an item failed', async () => {
        const [good, twice, capitals] = [newEmail(), newEmail(), newEmail()];
        const taken = await register();
        const rows: Array<[item: unknown, reason?: RegExp]> = [
            [{ email: good, password: PASSWORD, name: 'Ada' }],
            [{ email: taken.email, password: PASSWORD }, /already registered/],
            [{ email: ` ${taken.email.toUpperCase()} `, password: PASSWORD }, /already registered/],
            [{ email: twice, password: PASSWORD }],
            [{ email: twice, password: 'another password' }, /already registered.*more than once/],
            [{ email: twice.toUpperCase(), password: PASSWORD }, /already registered.*more than once/],
            [{ email: 'not an address', password: PASSWORD }, /email/],
            [{ email: 'a\u200b@example.com', password: PASSWORD }, /email/],
            [{ password: PASSWORD }, /email/],
            [{ email: 5, password: PASSWORD }, /email/],
            [{ email: newEmail() }, /password/],
            [{ email: newEmail(), password: null }, /password/],
            [{ email: newEmail(), password: 'seven..' }, /password/],
            [{ email: newEmail(), password: 'x'.repeat(1_025) }, /password/],
            [{ email: newEmail(), password: PASSWORD, tier: 'gold' }, /tier/],
            [{ email: newEmail(), password: PASSWORD, tier: 'Enterprise' }, /tier/],
            [{ email: newEmail(), password: PASSWORD, tier: '' }, /tier/],
            [{ email: newEmail(), password: PASSWORD, tier: 5 }, /tier/],
            [{ email: newEmail(), password: PASSWORD, name: '  ' }, /name/],
            [{ email: newEmail(), password: PASSWORD, name: 5 }, /name/],
            [null, /object/],
            [5, /object/],
            ['text', /object/],
            [[], /email|object/],
            [{ email: capitals.toUpperCase(), password: PASSWORD, name: null, tier: null }],
        ];
        const data = await expectOk(200, batch(rows.map(([item]) => item)));
        const reasons = rows.flatMap(([, reason]) => reason ?? []);
        assert.deepEqual(
            data.created.map(({ email }: { email: string }) => email),
            [good, twice, capitals],
        );
        assert.deepEqual([data.total_created, data.total_failed], [3, reasons.length]);
        assert.equal(data.failed.length, reasons.length);
        for (const [index, reason] of reasons.entries())
            assert.match(data.failed[index].error, reason, `item ${index}`);
        assert.equal(data.failed[0].email, taken.email);
        assert.ok(!JSON.stringify(data).includes(PASSWORD));
        // The first of two items with one address is created, and an existing account keeps its password.
        await expectOk(200, login(twice));
        await expectError(401, login(twice, 'another password'));
        await expectOk(200, login(taken.email, taken.password));
        const { name, tier } = await expectOk(200, login(capitals));
        assert.deepEqual([name, tier], [null, 'free']);
    });

    it('succeeds even if no account can be created', async () => {
        const { total_created, total_failed, created, failed } = await expectOk(200, batch([{}, {}]));
        assert.deepEqual([total_created, total_failed, created.length, failed.length], [0, 2, 0, 2]);
    });

    it('that is sent twice at once on both gateways creates each account once', async () => {
        const users = Array.from({ length: 20 }, () => ({ email: newEmail(), password: PASSWORD }));
        const answers = await Promise.all([0, 1].map((gateway) => expectOk(200, batch(users, gateway))));
        const created = answers.flatMap((data) => data.created.map(({ email }: { email: string }) => email));
        assert.deepEqual(created.sort(), users.map(({ email }) => email).sort());
        assert.equal(answers[0].total_failed + answers[1].total_failed, 20);
    });

    it('may have a thousand items', async () => {
        const users = Array.from({ length: 1_000 }, () => ({ email: newEmail(), password: PASSWORD }));
        const { total_created, total_failed } = await expectOk(200, batch(users));
        assert.deepEqual([total_created, total_failed], [1_000, 0]);
    });
});

describe('a batch is refused as a whole, with 400, if users is', () => {
    const bad: Record<string, unknown> = {
        missing: undefined,
        null: null,
        empty: [],
        'an object': { email: newEmail(), password: PASSWORD },
        'a string': 'users',
        'a number': 5,
        'more than a thousand items': Array.from({ length: 1_001 }, () => ({})),
    };
    for (const [name, users] of Object.entries(bad)) {
        it(name, async () => void (await expectError(400, batch(users))));
    }
    it('sent as the body itself', async () =>
        void (await expectError(400, { ...batch([]), body: [{ email: newEmail() }] })));
});
