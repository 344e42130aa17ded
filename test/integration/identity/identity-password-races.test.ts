import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { testContext } from '../../support/harness.ts';
import { kind, login, PASSWORD, SHARDS } from './identity.fixture.ts';
import { NEW_PASSWORD, passwordFixture } from './identity-password.fixture.ts';

/** Tests password changes that run at the same time as other calls of the account. */

const fixture = await passwordFixture();
const { redis, identity, openTransaction, untilBlocked } = fixture;
const { sessionIdOf, caller, change, tryLogin, introspect, liveSessions } = fixture;

test('exactly one of twenty concurrent password changes succeeds, and only its password is set', async () => {
    const { email, context } = await caller();
    const wanted = Array.from({ length: 20 }, (_, index) => `new password ${index}`);
    const outcomes = await Promise.allSettled(wanted.map((password) => change(context, PASSWORD, password)));
    const won = wanted.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    assert.equal(won.length, 1);
    for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        assert.ok(['unauthenticated', 'rate_limited'].some((expected) => kind(expected)(outcome.reason)));
    }
    await tryLogin(email, won[0] ?? '');
});

test('a password change that loses a race is refused, ends no session and does not count as a guess', async () => {
    const { email, context, place } = await caller();
    const { session } = await login(fixture, email, place);
    for (let round = 0; round < 10; round++) {
        const first = await openTransaction();
        await first.query('UPDATE identity.users SET password_version = password_version + 1 WHERE email = $1', [
            email,
        ]);
        const overtaken = assert.rejects(change(context), kind('unauthenticated'));
        await untilBlocked(); // the change has verified the old password and waits for the lock
        await first.commit();
        await overtaken;
    }
    await introspect(session.token);
    await change(context);
});

test('a password change ends the session of a login with the old password that commits before it', async () => {
    const { email, context } = await caller();
    const sessionId = randomUUID();
    const opening = await openTransaction();
    await opening.query('UPDATE identity.users SET last_login_at = now() WHERE email = $1', [email]);
    await opening.query(`INSERT INTO identity.sessions VALUES ($1, $2, $1, now(), now() + interval '1 hour')`, [
        sessionId,
        context.user_id,
    ]);
    const changing = change(context);
    await untilBlocked();
    await opening.commit();
    await changing;
    assert.deepEqual(await liveSessions(context.user_id), [context.session_id]);
    assert.equal(await redis.get(livenessMarkKey(shardTag(context.user_id, SHARDS), 'session', sessionId)), 'R');
});

test('logins with the old password that run during a password change leave no session behind', async () => {
    for (let round = 0; round < 10; round++) {
        const { email, context } = await caller();
        const racing = Array.from({ length: 8 }, () =>
            tryLogin(email, PASSWORD, testContext({ address: randomUUID() })),
        );
        await Promise.allSettled([...racing, change(context)]);
        assert.deepEqual(await liveSessions(context.user_id), [context.session_id]);
        await tryLogin(email, NEW_PASSWORD);
    }
});

test('a refresh of another session during a password change returns no token that stays valid', async () => {
    const { email, context, place } = await caller();
    const { session } = await login(fixture, email, place);
    const holding = await openTransaction();
    await holding.query('UPDATE identity.sessions SET created_at = created_at WHERE session_id = $1', [
        sessionIdOf(session.token),
    ]);
    const changing = change(context);
    await untilBlocked();
    const outcome = identity.refresh({ refresh_token: session.refresh_token }, context).then(
        ({ token }) => token,
        () => undefined,
    );
    await holding.commit();
    await changing;
    const token = await outcome;
    if (token) await assert.rejects(introspect(token), kind('unauthenticated'));
    assert.deepEqual(await liveSessions(context.user_id), [context.session_id]);
});
