import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type LivenessMarks, livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { AppError } from '../../../platform/errors.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { testContext } from '../../support/harness.ts';
import { identityFixture, kind, login, PASSWORD, SHARDS, signedIn } from './identity.fixture.ts';

const fixture = await identityFixture();
const { db, redis, identity, build, openTransaction, untilBlocked } = fixture;

const NEW_PASSWORD = 'another horse battery';

function sessionOf(token: string): string {
    const verdict = fixture.tokens.verify(token, 'either');
    assert.ok('claims' in verdict);
    return verdict.claims.sid;
}

/** An account with a session, and the context of a call from it. */
async function caller() {
    const { email, user, session, context } = await signedIn(fixture);
    const session_id = sessionOf(session.token);
    return { email, session, session_id, place: context, context: { ...context, user_id: user.user_id, session_id } };
}

const change = (context: ReturnType<typeof testContext>, current = PASSWORD, next = NEW_PASSWORD) =>
    identity.changePassword({ current_password: current, new_password: next }, context);
const tryLogin = (email: string, password: string, context = testContext()) =>
    identity.login({ email, password }, context);
const introspect = (token: string) => identity.introspect({ token }, testContext());

async function liveSessions(user_id: string | undefined): Promise<string[]> {
    const rows = await db.rows<{ session_id: string }>(sql.unsafe`
        SELECT session_id FROM identity.sessions WHERE user_id = ${user_id ?? null} AND ended_at IS NULL`);
    return rows.map((row) => row.session_id);
}

test('after a change the new password opens sessions and the old one does not', async () => {
    const { email, context } = await caller();
    const { changed_at } = await change(context);
    assert.ok(Math.abs(Date.parse(changed_at) - Date.now()) < 5_000);
    await assert.rejects(tryLogin(email, PASSWORD), kind('unauthenticated'));
    await tryLogin(email, NEW_PASSWORD);
});

test('a change keeps the calling session and ends all others, with refused marks for the gateways', async () => {
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
        const mark = livenessMarkKey(shardTag(context.user_id, SHARDS), 'session', sessionOf(ended.token));
        assert.equal(await redis.get(mark), 'R');
    }
    assert.equal(
        await redis.get(livenessMarkKey(shardTag(context.user_id, SHARDS), 'session', context.session_id)),
        null,
    );
});

test('a change from no session ends all of them, and nobody else’s', async () => {
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

test('the sessions that a change ends are refused everywhere before it commits', async () => {
    const { email, session_id, context, place } = await caller();
    const other = sessionOf((await login(fixture, email, place)).session.token);
    const outsider = await openTransaction(); // which sees what is committed
    let live_meanwhile: string[] = [];
    const watching: LivenessMarks = {
        async refuse({ ids }) {
            assert.deepEqual(ids, [other]);
            const text = 'SELECT session_id FROM identity.sessions WHERE user_id = $1 AND ended_at IS NULL';
            live_meanwhile = (await outsider.query(text, [context.user_id])).rows.map((row) => row.session_id);
            return undefined;
        },
        refuseAnd: (_target, commit) => commit(),
    };
    const request = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    await build({ livenessMarks: watching }).changePassword(request, context);
    await outsider.commit();
    assert.deepEqual(live_meanwhile.sort(), [session_id, other].sort());
    assert.deepEqual(await liveSessions(context.user_id), [session_id]);
});

test('a change does not end again what had ended before', async () => {
    const { email, context, place } = await caller();
    const { session } = await login(fixture, email, place);
    const { logged_out_at } = await identity.logout({ token: session.token }, context);
    await change(context);
    const again = await identity.logout({ token: session.token }, context);
    assert.equal(again.logged_out_at, logged_out_at);
});

test('a wrong current password changes and ends nothing', async () => {
    const { email, context, place } = await caller();
    const { session } = await login(fixture, email, place);
    for (const wrong of ['', 'x', PASSWORD.toUpperCase(), `${PASSWORD} `, 'x'.repeat(1_024)]) {
        await assert.rejects(change(context, wrong), /^AppError: The current password is wrong\.$/);
    }
    await introspect(session.token);
    await tryLogin(email, PASSWORD);
});

test('a new password that breaks the rules is refused before the current one is looked at', async () => {
    const { email, context } = await caller();
    for (const bad of ['', '7 chars', 'x'.repeat(1_025), '\ud800'.repeat(8)]) {
        await assert.rejects(change(context, 'wrong password', bad), kind('invalid'));
    }
    await assert.rejects(change(context, PASSWORD, '7 chars'), /new_password must have at least 8 characters/);
    await tryLogin(email, PASSWORD);
});

test('a password may be changed to itself, which ends the other sessions as well', async () => {
    const { email, context, place, session_id } = await caller();
    await login(fixture, email, place);
    await change(context, PASSWORD, PASSWORD);
    assert.deepEqual(await liveSessions(context.user_id), [session_id]);
    await tryLogin(email, PASSWORD);
});

test('wrong current passwords and failed logins are counted together, whatever the address is by then', async () => {
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

test('of twenty changes at once one wins, the losers are refused, and its password is the one that holds', async () => {
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

test('a change that another one overtakes is refused, ends nothing and is no guess', async () => {
    const { email, context, place } = await caller();
    const { session } = await login(fixture, email, place);
    for (let round = 0; round < 10; round++) {
        const first = await openTransaction();
        await first.query('UPDATE identity.users SET password_version = password_version + 1 WHERE email = $1', [
            email,
        ]);
        const overtaken = assert.rejects(change(context), kind('unauthenticated'));
        await untilBlocked(); // the old password was verified, and the change waits
        await first.commit();
        await overtaken;
    }
    await introspect(session.token);
    await change(context);
});

test('a login with the old password that comes first has its session ended by the change', async () => {
    const { email, context } = await caller();
    const session_id = randomUUID();
    const opening = await openTransaction();
    await opening.query('UPDATE identity.users SET last_login_at = now() WHERE email = $1', [email]);
    await opening.query(`INSERT INTO identity.sessions VALUES ($1, $2, $1, now(), now() + interval '1 hour')`, [
        session_id,
        context.user_id,
    ]);
    const changing = change(context);
    await untilBlocked();
    await opening.commit();
    await changing;
    assert.deepEqual(await liveSessions(context.user_id), [context.session_id]);
    assert.equal(await redis.get(livenessMarkKey(shardTag(context.user_id, SHARDS), 'session', session_id)), 'R');
});

test('logins with the old password and a change at once leave no session of the old one', async () => {
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

test('a refresh of another session that the change overtakes gives no new pair', async () => {
    const { email, context, place } = await caller();
    const { session } = await login(fixture, email, place);
    const holding = await openTransaction();
    await holding.query('UPDATE identity.sessions SET created_at = created_at WHERE session_id = $1', [
        sessionOf(session.token),
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

test('without Redis the change is made, the others end, and the caller hears that not everybody knows', async () => {
    const { email, context, place } = await caller();
    const { session } = await login(fixture, email, place);
    const unmarked: LivenessMarks = {
        refuse: async () => new AppError('unavailable', 'not known everywhere'),
        refuseAnd: (_target, commit) => commit(),
    };
    const request = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    await assert.rejects(
        build({ livenessMarks: unmarked }).changePassword(request, context),
        /The password is changed, but/,
    );
    await assert.rejects(introspect(session.token), kind('unauthenticated'));
    await tryLogin(email, NEW_PASSWORD);
});

test('of no account no password is changed', async () => {
    for (const user_id of [randomUUID(), 'x']) {
        await assert.rejects(change(testContext({ user_id })), kind('not_found'));
    }
    await assert.rejects(change(testContext({ user_id: undefined })), kind('unauthenticated'));
});
