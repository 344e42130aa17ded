import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import type { NewUser } from '../../../proto/gen/identity/v1/identity.ts';
import { testContext } from '../../support/harness.ts';
import { identityFixture, kind, login, newEmail, PASSWORD, signedIn } from './identity.fixture.ts';

const fixture = await identityFixture();
const { db, identity } = fixture;
const create = (users: NewUser[], deadlineMs = 60_000) =>
    identity.createUsers({ users }, testContext({ trusted: true, deadline: performance.now() + deadlineMs }));

test('each item succeeds or fails on its own, and a failure names its reason and the address as sent', async () => {
    const stored = (await signedIn(fixture)).email;
    const good = newEmail();
    const { created, failed } = await create([
        { email: ` ${good.toUpperCase()} `, password: PASSWORD, name: ' Ada ', tier: 'pro' },
        { email: stored.toUpperCase(), password: PASSWORD },
        { email: good, password: PASSWORD },
        { email: 'no address', password: PASSWORD },
        { email: newEmail(), password: 'weak' },
        { email: 'tier@example.org', password: PASSWORD, tier: 'Enterprise' },
        { email: 'tier@example.org', password: PASSWORD, tier: '' },
        { malformed: 'The item is not an object.' },
        { password: PASSWORD },
        { email: 'name@example.org', password: PASSWORD, name: ' ' },
    ]);
    assert.deepEqual(
        created.map(({ email, tier }) => ({ email, tier })),
        [{ email: good, tier: 'pro' }],
    );
    assert.equal(failed.length, 9);
    assert.deepEqual(failed[0], { email: stored.toUpperCase(), error: 'This email is already registered.' });
    assert.match(failed[1]?.error ?? '', /more than once/);
    assert.equal(failed[2]?.email, 'no address');
    assert.match(failed[4]?.error ?? '', /tier/);
    assert.deepEqual(failed[6], { email: '', error: 'The item is not an object.' });
    await login(fixture, good);
});

test('an item that fails leaves its email address free for a later item', async () => {
    const email = newEmail();
    const { created, failed } = await create([
        { email, password: 'weak' },
        { email, password: PASSWORD },
    ]);
    assert.deepEqual([created.length, failed.length], [1, 1]);
});

test('a call takes a thousand items and answers them in their order', async () => {
    const emails = Array.from({ length: 1_000 }, newEmail);
    const { created, failed } = await create(emails.map((email) => ({ email, password: PASSWORD })));
    assert.deepEqual(
        created.map(({ email }) => email),
        emails,
    );
    assert.equal(failed.length, 0);
});

test('an empty batch and a batch of more than a thousand items are refused as a whole', async () => {
    await assert.rejects(create([]), kind('invalid'));
    await assert.rejects(create(Array.from({ length: 1_001 }, () => ({}))), kind('invalid'));
});

test('concurrent batches with the same addresses create each account once', async () => {
    const users = Array.from({ length: 200 }, () => ({ email: newEmail(), password: PASSWORD }));
    const answers = await Promise.all([create(users), create(users.toReversed()), create(users)]);
    const created = answers.flatMap((answer) => answer.created.map(({ email }) => email));
    assert.deepEqual(created.toSorted(), users.map(({ email }) => email).toSorted());
    assert.ok(answers.every((answer) => answer.created.length + answer.failed.length === 200));
    assert.ok(answers.every((answer) => answer.failed.every(({ error }) => error.includes('already registered'))));
});

test('an item fails and creates no account if too little time is left to hash its password', async () => {
    const email = newEmail();
    const { created, failed } = await create([{ email, password: PASSWORD }], 1);
    assert.equal(created.length, 0);
    assert.match(failed[0]?.error ?? '', /time ran out|took too long/);
    assert.deepEqual(await db.rows(sql.unsafe`SELECT FROM identity.users WHERE email = ${email}`), []);
});

test('a batch whose client disconnects finishes only the items that are in progress', async () => {
    const context = testContext({ trusted: true });
    const users = Array.from({ length: 500 }, () => ({ email: newEmail(), password: PASSWORD }));
    const emails = users.map(({ email }) => email);
    const stored = async () =>
        (await db.rows(sql.unsafe`SELECT FROM identity.users WHERE email = ANY(${sql.array(emails, 'text')})`)).length;
    const batch = assert.rejects(identity.createUsers({ users }, context), kind('cancelled'));
    while ((await stored()) === 0);
    context.cancellation.cancel();
    await batch;
    const atTheEnd = await stored();
    assert.ok(atTheEnd < users.length, `${atTheEnd} of ${users.length}`);
    await identity.createUsers({ users: [{ email: newEmail(), password: PASSWORD }] }, testContext());
    assert.ok((await stored()) <= atTheEnd + 4, 'only items in progress may still be written');
});
