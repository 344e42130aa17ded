import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { testContext } from '../../support/harness.ts';
import { identityFixture, kind, login, newEmail, PASSWORD } from './identity.fixture.ts';

const fixture = await identityFixture();
const { db, identity } = fixture;

/** An account as an earlier release has stored it. */
async function storedAs(email: string): Promise<string> {
    const { user_id } = await identity.register({ email: newEmail(), password: PASSWORD }, testContext());
    await db.rows(sql.unsafe`UPDATE identity.users SET email = ${email} WHERE user_id = ${user_id}`);
    return user_id;
}

/** Pairs of the address that an earlier release has stored, and another spelling of it. */
function oldForms(): [stored: string, spelling: string][] {
    const pairs = [
        ['@münchen.de', '@XN--MNCHEN-3YA.de'],
        ['.γιωργος.π@example.org', '.ΓΙΩΡΓΟΣ.Π@example.org'],
        ['.πςπ@example.org', '.πςπ@example.org'],
        ['@μύκονοσ.gr', '@xn--vxadehby9d.gr'],
        ['@xn--vxadehbs6e.gr', '@μύκονος.gr'],
    ] as const;
    return pairs.map((pair) => {
        const id = randomUUID();
        return [id + pair[0], id + pair[1]];
    });
}

test('an account whose address is stored in an old form logs in with this form and with the new one', async () => {
    for (const [stored, spelling] of oldForms()) {
        const userId = await storedAs(stored);
        for (const email of [stored, spelling, ` ${stored}`]) {
            const { user } = await login(fixture, email);
            assert.deepEqual([user.user_id, user.email], [userId, stored], email);
        }
    }
});

test('an account whose address is no longer acceptable logs in', async () => {
    const id = randomUUID();
    for (const stored of [`first..${id}@example.org`, `<${id}@example.org`, `${id}@127.1`, `${id}@a+b.org`]) {
        const userId = await storedAs(stored);
        assert.equal((await login(fixture, stored.toUpperCase())).user.user_id, userId);
    }
});

test('two old accounts with two spellings of one address each log in with their own', async () => {
    for (const spellings of oldForms().filter(([stored, spelling]) => stored !== spelling)) {
        for (const spelling of spellings) await storedAs(spelling.toLowerCase());
        for (const spelling of spellings) {
            assert.equal((await login(fixture, spelling)).user.email, spelling.toLowerCase());
        }
    }
});

test('an address that an account has in an old form is taken, whatever its spelling', async () => {
    const other = await storedAs(newEmail());
    for (const [stored, spelling] of oldForms()) {
        await storedAs(stored);
        for (const email of [stored, spelling]) {
            const request = { email, password: PASSWORD };
            await assert.rejects(identity.register(request, testContext()), kind('conflict'), email);
            const keyed = testContext({ idempotency_key: randomUUID() });
            await assert.rejects(identity.register(request, keyed), kind('conflict'), email);
            const batch = await identity.createUsers({ users: [request] }, testContext());
            assert.deepEqual(batch.failed, [{ email, error: 'This email is already registered.' }]);
            const change = { email, name: undefined, clear_name: false };
            const update = identity.updateUser(change, testContext({ user_id: other }));
            await assert.rejects(update, kind('conflict'), email);
        }
    }
});

test('an account with an address in an old form can set its own address again, which stores the new form', async () => {
    const [[stored, spelling]] = oldForms() as [[string, string]];
    const context = testContext({ user_id: await storedAs(stored) });
    const { email } = await identity.updateUser({ email: stored, name: undefined, clear_name: false }, context);
    assert.equal(email, spelling.toLowerCase());
});

test('equal calls with one Idempotency-Key create one account, whatever the spelling of its address', async () => {
    const [[stored, spelling]] = oldForms() as [[string, string]];
    const context = testContext({ idempotency_key: randomUUID() });
    const calls = Array.from({ length: 10 }, (_, index) =>
        identity.register({ email: index % 2 ? stored : spelling, password: PASSWORD }, context),
    );
    const users = await Promise.all(calls);
    assert.equal(new Set(users.map(({ user_id }) => user_id)).size, 1);
    const keyed = testContext({ idempotency_key: randomUUID() });
    const id = randomUUID();
    const created = [];
    for (const email of [`${id}@münchen.de`, `${id}@xn--mnchen-3ya.de`]) {
        created.push(...(await identity.createUsers({ users: [{ email, password: PASSWORD }] }, keyed)).created);
    }
    assert.equal(created.length, 2);
    assert.deepEqual(created[0], created[1]);
});
