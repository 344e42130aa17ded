import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type LivenessMarks, livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { AppError } from '../../../platform/errors.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { testContext } from '../../support/harness.ts';
import { kind, login, PASSWORD, SHARDS } from './identity.fixture.ts';
import { NEW_PASSWORD, passwordFixture } from './identity-password.fixture.ts';

const fixture = await passwordFixture();
const { redis, identity, build, openTransaction } = fixture;
const { sessionIdOf, caller, change, tryLogin, introspect, liveSessions } = fixture;

test('after a password change the new password logs in and the old one does not', async () => {
    const { email, context } = await caller();
    const { changed_at } = await change(context);
    assert.ok(Math.abs(Date.parse(changed_at) - Date.now()) < 5_000);
    await assert.rejects(tryLogin(email, PASSWORD), kind('unauthenticated'));
    await tryLogin(email, NEW_PASSWORD);
});

test('a password change keeps the calling session, ends all others and sets their refused marks', async () => {
    const { email, session, context, place } = await caller();
    const others = [await login(fixture, email, place), await login(fixture, email, place)];
    await change(context);
    await introspect(session.token);
    await identity.refresh({ refresh_token: session.refresh_token }, context);
    for (const { session: ended } of others) {
        await assert.rejects(introspect(ended.token), kind('unauthenticated'));
        await assert.rejects(
            identity.refresh({ refresh_token: ended.refresh_token }, context),
            kind('unauthenticated'),
        );
        const mark = livenessMarkKey(shardTag(context.user_id, SHARDS), 'session', sessionIdOf(ended.token));
        assert.equal(await redis.get(mark), 'R');
    }
    assert.equal(
        await redis.get(livenessMarkKey(shardTag(context.user_id, SHARDS), 'session', context.session_id)),
        null,
    );
});

test('a password change without a session of the account ends all sessions of that account and no others', async () => {
    const [one, two, bystander] = [await caller(), await caller(), await caller()];
    await change({ ...one.context, session_id: undefined });
    assert.deepEqual(await liveSessions(one.context.user_id), []);
    await change({ ...two.context, session_id: 'no id' });
    assert.deepEqual(await liveSessions(two.context.user_id), []);
    const three = await caller();
    await change({ ...three.context, session_id: one.session_id });
    assert.deepEqual(await liveSessions(three.context.user_id), []);
    assert.deepEqual(await liveSessions(bystander.context.user_id), [bystander.context.session_id]);
    await introspect(bystander.session.token);
});

test('a password change sets the refused marks of the sessions that it ends before it commits', async () => {
    const { email, session_id, context, place } = await caller();
    const other = sessionIdOf((await login(fixture, email, place)).session.token);
    const outsider = await openTransaction(); // sees committed data only
    let liveMeanwhile: string[] = [];
    const watching: LivenessMarks = {
        async refuse({ ids }) {
            assert.deepEqual(ids, [other]);
            const text = 'SELECT session_id FROM identity.sessions WHERE user_id = $1 AND ended_at IS NULL';
            liveMeanwhile = (await outsider.query(text, [context.user_id])).rows.map((row) => row.session_id);
            return undefined;
        },
        refuseAnd: (_target, commit) => commit(),
        changeVersions: async () => undefined,
    };
    const request = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    await build({ livenessMarks: watching }).changePassword(request, context);
    await outsider.commit();
    assert.deepEqual(liveMeanwhile.sort(), [session_id, other].sort());
    assert.deepEqual(await liveSessions(context.user_id), [session_id]);
});

test('a password change keeps the end time of sessions that had already ended', async () => {
    const { email, context, place } = await caller();
    const { session } = await login(fixture, email, place);
    const { logged_out_at } = await identity.logout({ token: session.token }, context);
    await change(context);
    const again = await identity.logout({ token: session.token }, context);
    assert.equal(again.logged_out_at, logged_out_at);
});

test('a wrong current password changes nothing and ends no session', async () => {
    const { email, context, place } = await caller();
    const { session } = await login(fixture, email, place);
    for (const wrong of ['', 'x', PASSWORD.toUpperCase(), `${PASSWORD} `, 'x'.repeat(1_024)]) {
        await assert.rejects(change(context, wrong), /^AppError: The current password is wrong\.$/);
    }
    await introspect(session.token);
    await tryLogin(email, PASSWORD);
});

test('a new password that breaks the rules is refused before the current one is checked', async () => {
    const { email, context } = await caller();
    for (const bad of ['', '7 chars', 'x'.repeat(1_025), '\ud800'.repeat(8)]) {
        await assert.rejects(change(context, 'wrong password', bad), kind('invalid'));
    }
    await assert.rejects(change(context, PASSWORD, '7 chars'), /new_password must have at least 8 characters/);
    await tryLogin(email, PASSWORD);
});

test('a change to the same password is allowed and ends the other sessions', async () => {
    const { email, context, place, session_id } = await caller();
    await login(fixture, email, place);
    await change(context, PASSWORD, PASSWORD);
    assert.deepEqual(await liveSessions(context.user_id), [session_id]);
    await tryLogin(email, PASSWORD);
});

test('wrong current passwords and failed logins are counted together, even after a change of the address', async () => {
    const { email, context, place } = await caller();
    for (let guess = 0; guess < 5; guess++) {
        await assert.rejects(tryLogin(email, 'wrong', place), kind('unauthenticated'));
        await assert.rejects(change(context, 'wrong'), kind('unauthenticated'));
    }
    const moved = `${randomUUID()}@example.org`;
    await identity.updateUser({ email: moved, name: undefined, clear_name: false }, context);
    await assert.rejects(change(context), kind('rate_limited'));
    await assert.rejects(tryLogin(moved, PASSWORD, place), kind('rate_limited'));
    await change({ ...context, address: randomUUID() });
});

test('without Redis a password change still ends the other sessions, and its error says so', async () => {
    const { email, context, place } = await caller();
    const { session } = await login(fixture, email, place);
    const unmarked: LivenessMarks = {
        refuse: async () => new AppError('unavailable', 'some gateways may not know it yet', { reason: 'redis' }),
        refuseAnd: (_target, commit) => commit(),
        changeVersions: async () => undefined,
    };
    const request = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    await assert.rejects(
        build({ livenessMarks: unmarked }).changePassword(request, context),
        /The password is changed, but/,
    );
    await assert.rejects(introspect(session.token), kind('unauthenticated'));
    await tryLogin(email, NEW_PASSWORD);
});

test('a password change of an unknown account or without an account is refused', async () => {
    for (const userId of [randomUUID(), 'x']) {
        await assert.rejects(change(testContext({ user_id: userId })), kind('not_found'));
    }
    await assert.rejects(change(testContext({ user_id: undefined })), kind('unauthenticated'));
});
