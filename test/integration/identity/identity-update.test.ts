import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { testContext } from '../../support/harness.ts';
import { identityFixture, kind, newEmail, PASSWORD } from './identity.fixture.ts';

const fixture = await identityFixture();
const { identity, time } = fixture;

const KEEP = { email: undefined, name: undefined, clear_name: false };

async function newUser(name = 'Ada') {
    const user = await identity.register({ email: newEmail(), password: PASSWORD, name }, testContext());
    return { ...user, context: testContext({ user_id: user.user_id }) };
}

test('an update changes only the fields that it names, and returns the time of the last change', async () => {
    const { user_id, email, created_at, context } = await newUser();
    assert.deepEqual(await identity.updateUser(KEEP, context), { user_id, email, name: 'Ada', updated_at: created_at });
    time.aheadMs = 5_000;
    const other = newEmail();
    const moved = await identity.updateUser({ ...KEEP, email: ` ${other.toUpperCase()} ` }, context);
    assert.deepEqual([moved.email, moved.name], [other, 'Ada']);
    assert.ok(moved.updated_at > created_at);
    const renamed = await identity.updateUser({ ...KEEP, name: ' Grace ' }, context);
    assert.deepEqual([renamed.email, renamed.name], [other, 'Grace']);
    const cleared = await identity.updateUser({ ...KEEP, clear_name: true }, context);
    assert.equal(cleared.name, undefined);
    const { name, email: current } = await identity.getUser({}, context);
    assert.deepEqual([current, name], [other, undefined]);
    assert.deepEqual(await identity.updateUser(KEEP, context), cleared);
});

test('an update cannot both set and clear the name', async () => {
    const { context } = await newUser();
    await assert.rejects(identity.updateUser({ ...KEEP, name: 'Grace', clear_name: true }, context), kind('invalid'));
    assert.equal((await identity.getUser({}, context)).name, 'Ada');
});

test('an update with an invalid or already registered email address changes nothing, not even the name', async () => {
    const [user, other] = [await newUser(), await newUser()];
    for (const [email, refusal] of [
        ['no address', 'invalid'],
        [other.email.toUpperCase(), 'conflict'],
    ] as const) {
        await assert.rejects(identity.updateUser({ ...KEEP, email, name: 'Grace' }, user.context), kind(refusal));
    }
    const { email, name } = await identity.getUser({}, user.context);
    assert.deepEqual([email, name], [user.email, 'Ada']);
    assert.equal((await identity.updateUser({ ...KEEP, email: user.email }, user.context)).email, user.email);
});

test('exactly one of fifty accounts that request the same free email address at once gets it', async () => {
    const users = await Promise.all(Array.from({ length: 50 }, () => newUser()));
    const email = newEmail();
    const outcomes = await Promise.allSettled(
        users.map(({ context }) => identity.updateUser({ ...KEEP, email }, context)),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 49);
    assert.ok(refused.every(({ reason }) => kind('conflict')(reason)));
});

test('two accounts that try to swap their email addresses at the same time are both refused', async () => {
    const [one, two] = [await newUser(), await newUser()];
    const swap = await fixture.openTransaction();
    await swap.query('UPDATE identity.users SET name = name WHERE user_id = $1', [one.user_id]);
    // Each update locks its own row before it checks the other address. The second update waits for the first one,
    // which still waits for the lock of its own row.
    const swapping = Promise.allSettled([
        identity.updateUser({ ...KEEP, email: two.email }, one.context),
        identity.updateUser({ ...KEEP, email: one.email }, two.context),
    ]);
    await fixture.untilBlocked();
    await swap.commit();
    for (const outcome of await swapping) {
        assert.ok(outcome.status === 'rejected' && kind('conflict')(outcome.reason), JSON.stringify(outcome));
    }
});

test('an email address is free for other accounts after its account has changed to another one', async () => {
    const [one, two] = [await newUser(), await newUser()];
    await identity.updateUser({ ...KEEP, email: newEmail() }, one.context);
    assert.equal((await identity.updateUser({ ...KEEP, email: one.email }, two.context)).email, one.email);
});

test('an update of an account that does not exist is refused with not_found', async () => {
    for (const userId of [randomUUID(), 'x']) {
        for (const change of [KEEP, { ...KEEP, name: 'Ada' }]) {
            await assert.rejects(identity.updateUser(change, testContext({ user_id: userId })), kind('not_found'));
        }
    }
});
