import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { identityStore } from '../../../services/identity/store.ts';
import { testContext } from '../../support/harness.ts';
import { UNCOUNTED } from '../../support/test-redis.ts';
import { identityFixture, kind, login, newEmail, PASSWORD, signedIn } from './identity.fixture.ts';

const fixture = await identityFixture();
const { db, identity, build, openTransaction, untilBlocked } = fixture;

const NEW_USER = { name: undefined, tier: 'free', password_hash: '-', created_at: new Date().toISOString() } as const;

async function storedHash(email: string): Promise<string> {
    const [row] = await db.rows(
        sql.type(
            z.strictObject({ password_hash: z.string() }),
        )`SELECT password_hash FROM identity.users WHERE email = ${email}`,
    );
    return row?.password_hash ?? '';
}

test('a registration returns the account with the free tier and its normalised email address', async () => {
    const email = newEmail();
    const sent = ` ${email.toUpperCase()} `;
    const user = await identity.register({ email: sent, password: PASSWORD, name: ' Ada ' }, testContext());
    assert.equal(user.email, email);
    assert.equal(user.name, 'Ada');
    assert.equal(user.tier, 'free');
    assert.match(user.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(await identity.getUser({}, testContext({ user_id: user.user_id })), {
        ...user,
        last_login_at: undefined,
    });
});

test('each login is counted for its account, and a wrong password is not', async () => {
    const counted: string[] = [];
    const counting = build({ requestCounts: { ...UNCOUNTED, loggedIn: (account) => void counted.push(account) } });
    const { email, user } = await signedIn({ identity: counting });
    await login({ identity: counting }, email);
    await assert.rejects(counting.login({ email, password: 'wrong' }, testContext()), kind('unauthenticated'));
    assert.deepEqual(counted, [user.user_id, user.user_id]);
});

test('exactly one of twenty concurrent registrations of one address succeeds, and the others conflict', async () => {
    const email = newEmail();
    const spellings = Array.from({ length: 20 }, (_, index) => (index % 2 ? email : email.toUpperCase()));
    const outcomes = await Promise.allSettled(
        spellings.map((spelling) => identity.register({ email: spelling, password: PASSWORD }, testContext())),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 19);
    assert.ok(refused.every(({ reason }) => kind('conflict')(reason)));
});

test('two processes that insert the same addresses in opposite orders never deadlock', async () => {
    const refused: unknown[] = [];
    const watched: Database = {
        ...db,
        prepared: (name, query) =>
            db.prepared(name, query).catch((error: unknown) => {
                refused.push(error);
                throw error;
            }) as never, // resolves to the same rows
    };
    const stores = [identityStore(watched), identityStore(watched)];
    for (let round = 0; round < 20; round++) {
        const rows = Array.from({ length: 64 }, () => ({ ...NEW_USER, user_id: randomUUID(), email: newEmail() }));
        const others = rows.toReversed().map((row) => ({ ...row, user_id: randomUUID() }));
        const written = await Promise.all(
            [rows, others].flatMap((batch, index) => batch.map((row) => stores[index]?.insertUser(row))),
        );
        assert.equal(written.filter(Boolean).length, 64);
    }
    assert.deepEqual(refused, []);
});

test('a registration with an invalid address, password or name stores nothing', async () => {
    const email = newEmail();
    for (const bad of [
        { email: 'no address', password: PASSWORD },
        { email, password: '7 chars' },
        { email, password: 'x'.repeat(1_025) },
        { email, password: PASSWORD, name: '  ' },
    ]) {
        await assert.rejects(identity.register(bad, testContext()), kind('invalid'));
    }
    await identity.register({ email, password: PASSWORD }, testContext());
});

test('a login returns the account, and a session whose expires_at equals the exp of the access token', async () => {
    const { email, user, session } = await signedIn(fixture);
    assert.equal(user.email, email);
    assert.ok(user.last_login_at);
    const verdict = fixture.tokens.verify(session.token, 'access');
    assert.ok('claims' in verdict);
    assert.equal(session.expires_at, new Date(verdict.claims.exp * 1_000).toISOString());
    assert.equal(verdict.claims.sub, user.user_id);
    const introspected = await identity.introspect({ token: session.token }, testContext());
    assert.deepEqual(introspected, user);
});

test('a wrong password and an unknown address are refused with the same message', async () => {
    const { email, context } = await signedIn(fixture);
    const refusals = await Promise.all(
        [email, newEmail(), 'no address', 'nul\0@example.org'].map((address) =>
            identity.login({ email: address, password: `${PASSWORD}!` }, context).then(
                () => assert.fail('logged in'),
                (error: Error) => error,
            ),
        ),
    );
    assert.ok(refusals.every(kind('unauthenticated')));
    assert.equal(new Set(refusals.map((error) => error.message)).size, 1);
});

test('a login with an unknown address takes as long as one with a wrong password', async () => {
    const costly = build({ cost: { memory_kib: 19_456, passes: 2 } });
    const email = newEmail();
    await costly.register({ email, password: PASSWORD }, testContext());
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < 8; round++) {
        for (const [which, address] of [
            ['known', email],
            ['unknown', newEmail()],
        ] as const) {
            const began = process.cpuUsage();
            const context = testContext({ address: randomUUID() });
            await assert.rejects(costly.login({ email: address, password: 'wrong password' }, context));
            const { user, system } = process.cpuUsage(began); // of all threads; other work on the machine does not count
            times[which].push(user + system);
        }
    }
    const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
    const ratio = median(times.unknown) / median(times.known);
    assert.ok(ratio > 0.5 && ratio < 2, `unknown takes ${ratio} times as long as known`);
});

test('a password is accepted in another Unicode normalisation form, but not with other case or blanks', async () => {
    const email = newEmail();
    await identity.register({ email, password: 'Crème brûlée'.normalize('NFC') }, testContext());
    const tryPassword = (password: string) => identity.login({ email, password }, testContext());
    await tryPassword('Crème brûlée'.normalize('NFD'));
    for (const wrong of ['crème brûlée', 'Crème brûlée ', ' Crème brûlée']) {
        await assert.rejects(tryPassword(wrong), kind('unauthenticated'));
    }
});

test('long passwords that differ in their last character are different passwords', async () => {
    const email = newEmail();
    await identity.register({ email, password: `${'x'.repeat(1_023)}a` }, testContext());
    await identity.login({ email, password: `${'x'.repeat(1_023)}a` }, testContext());
    await assert.rejects(identity.login({ email, password: `${'x'.repeat(1_023)}b` }, testContext()));
});

test('after ten wrong passwords from an address the right one must wait too, but only from that address', async () => {
    const { email, context } = await signedIn(fixture);
    for (let guess = 0; guess < 10; guess++) {
        await assert.rejects(identity.login({ email, password: 'wrong password' }, context), kind('unauthenticated'));
    }
    await assert.rejects(
        identity.login({ email, password: PASSWORD }, context),
        /^AppError: Limit of 10 requests per minute exceeded by wrong passwords\. Try again in 1 second\.$/,
    );
    await login(fixture, email, testContext({ address: 'elsewhere' }));
});

test('a login whose deadline passes in the queue is neither hashed nor counted', async () => {
    const { email, context } = await signedIn(fixture);
    for (let attempt = 0; attempt < 11; attempt++) {
        const late = { ...context, deadline: performance.now() + 50 };
        await assert.rejects(identity.login({ email, password: 'wrong password' }, late), kind('deadline'));
    }
    await login(fixture, email, context);
});

test('thirty concurrent logins with the right password all succeed', async () => {
    const { email, context } = await signedIn(fixture);
    const opened = await Promise.all(Array.from({ length: 30 }, () => login(fixture, email, context)));
    assert.equal(new Set(opened.map(({ session }) => session.refresh_token)).size, 30);
});

test('a login upgrades a hash that has another cost, also when several logins arrive at once', async () => {
    const { email, context } = await signedIn(fixture);
    const before = await storedHash(email);
    const dearer = build({ cost: { memory_kib: 128, passes: 1 } });
    await Promise.all(Array.from({ length: 5 }, () => login({ identity: dearer }, email, context)));
    const upgraded = await storedHash(email);
    assert.match(before, /m=64,t=1/);
    assert.match(upgraded, /m=128,t=1/);
    await login({ identity: dearer }, email, context);
    assert.equal(await storedHash(email), upgraded);
});

test('a login opens no session if the password changes after it was verified', async () => {
    const { email, context, user } = await signedIn(fixture);
    const change = await openTransaction();
    await change.query('UPDATE identity.users SET password_version = password_version + 1 WHERE email = $1', [email]);
    const attempt = assert.rejects(login(fixture, email, context), kind('unauthenticated'));
    await untilBlocked(); // the login has verified the old hash and waits for the change
    await change.commit();
    await attempt;
    const [row] = await db.rows(
        sql.type(
            z.strictObject({ sessions: z.number() }),
        )`SELECT count(*) AS sessions FROM identity.sessions WHERE user_id = ${user.user_id}`,
    );
    assert.equal(row?.sessions, 1);
});

test('reading an account fails for an unknown or malformed id and without an account', async () => {
    for (const userId of [randomUUID(), 'x']) {
        await assert.rejects(identity.getUser({}, testContext({ user_id: userId })), kind('not_found'));
    }
    await assert.rejects(identity.getUser({}, testContext({ user_id: undefined })), kind('unauthenticated'));
    await identity.ping({}, testContext());
});
