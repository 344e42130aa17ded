import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import type { LivenessMarks } from '../../../platform/access/liveness-marks.ts';
import { AppError } from '../../../platform/errors.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { tokens } from '../../../services/identity/tokens.ts';
import { testContext } from '../../support/harness.ts';
import { ACCESS_SECONDS, identityFixture, kind, REFRESH_SECONDS, signedIn, signingKey } from './identity.fixture.ts';

const fixture = await identityFixture();
const { db, identity, time, sessionOf, markOf } = fixture;
const context = testContext({ user_id: undefined });

beforeEach(() => {
    time.aheadMs = 0;
});

const refresh = (refreshToken: string) => identity.refresh({ refresh_token: refreshToken }, context);
const logout = (token: string) => identity.logout({ token }, context);
const introspect = (token: string) => identity.introspect({ token }, context);

test('a refresh returns a new token pair, and the old access token stays valid until it expires', async () => {
    const { session } = await signedIn(fixture);
    const next = await refresh(session.refresh_token);
    assert.notEqual(next.token, session.token);
    assert.notEqual(next.refresh_token, session.refresh_token);
    await introspect(session.token);
    await introspect(next.token);
    await refresh(next.refresh_token);
});

test('exactly one of twenty concurrent refreshes with one token succeeds, and the session stays active', async () => {
    const { session } = await signedIn(fixture);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => refresh(session.refresh_token)));
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(won.length, 1);
    assert.ok(lost.every(({ reason }) => kind('unauthenticated')(reason)));
    await refresh(won[0]?.value.refresh_token ?? '');
});

test('a refresh token that is reused within the grace period is refused, and the session stays active', async () => {
    const { session } = await signedIn(fixture);
    const second = await refresh(session.refresh_token);
    const third = await refresh(second.refresh_token);
    time.aheadMs = 29_000;
    await assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
    await introspect(third.token);
    await refresh(third.refresh_token);
});

test('a refresh token that is reused more than 30 s after it was spent ends the session everywhere', async () => {
    const { session } = await signedIn(fixture);
    const next = await refresh(session.refresh_token);
    time.aheadMs = 31_000;
    const last = await refresh(next.refresh_token); // deletes the spent tokens that are older than the grace period
    await assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
    await assert.rejects(introspect(last.token), kind('unauthenticated'));
    await assert.rejects(refresh(last.refresh_token), kind('unauthenticated'));
    assert.equal(await markOf(last.token), 'R');
    const { session_id } = sessionOf(last.token);
    const spent = await db.rows(sql.unsafe`
        SELECT FROM identity.spent_refreshes WHERE session_id = ${session_id}`);
    assert.equal(spent.length, 1);
});

test('only an unexpired refresh token that this service signed can refresh', async () => {
    const { user, session } = await signedIn(fixture);
    const foreign = tokens({ keysPem: signingKey(), accessSeconds: 60, refreshSeconds: 60, clock: Date.now });
    const forged = foreign.issue({ ...user, session_id: sessionOf(session.token).session_id });
    for (const bad of [
        '',
        'no token',
        session.token,
        forged.refresh_token,
        `${session.refresh_token.slice(0, -4)}AAAA`,
    ]) {
        await assert.rejects(refresh(bad), kind('unauthenticated'));
    }
    time.aheadMs = REFRESH_SECONDS * 1_000;
    await assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
});

test('a refreshed access token has the current tier of the account', async () => {
    const { user, session } = await signedIn(fixture);
    await db.rows(sql.unsafe`UPDATE identity.users SET tier = 'pro' WHERE user_id = ${user.user_id}`);
    const { token } = await refresh(session.refresh_token);
    const verdict = fixture.tokens.verify(token, 'access');
    assert.ok('claims' in verdict && verdict.claims.tier === 'pro');
});

test('a logout with either token ends both at once and sets the refused mark for the gateways', async () => {
    for (const which of ['token', 'refresh_token'] as const) {
        const { session } = await signedIn(fixture);
        await logout(session[which]);
        assert.equal(await markOf(session.token), 'R');
        await assert.rejects(introspect(session.token), kind('unauthenticated'));
        await assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
    }
});

test('twenty concurrent logouts and a later one all succeed and return the time of the first', async () => {
    const { session } = await signedIn(fixture);
    const answers = await Promise.all(Array.from({ length: 20 }, () => logout(session.token)));
    answers.push(await logout(session.refresh_token));
    assert.equal(new Set(answers.map(({ logged_out_at }) => logged_out_at)).size, 1);
});

test('a logout with a malformed, badly signed or expired token is refused', async () => {
    const { session } = await signedIn(fixture);
    for (const bad of ['', 'a.b.c', `${session.token.slice(0, -4)}AAAA`]) {
        await assert.rejects(logout(bad), kind('invalid'));
    }
    time.aheadMs = ACCESS_SECONDS * 1_000;
    await assert.rejects(logout(session.token), kind('invalid'));
    await logout(session.refresh_token);
});

test('a session whose row has been deleted counts as ended', async () => {
    const { session, email } = await signedIn(fixture);
    const lasting = tokens({ keysPem: fixture.keysPem, accessSeconds: 60, refreshSeconds: 9_000, clock: Date.now });
    const { account, session_id } = sessionOf(session.token);
    await db.rows(sql.unsafe`DELETE FROM identity.sessions WHERE session_id = ${session_id}`); // as the daily job does
    const { refresh_token } = lasting.issue({ user_id: account, email, tier: 'free', session_id });
    await logout(refresh_token);
    await assert.rejects(refresh(refresh_token), kind('unauthenticated'));
});

test('a logout during concurrent refreshes leaves no valid token', async () => {
    for (let round = 0; round < 20; round++) {
        const { session } = await signedIn(fixture);
        const racing = Array.from({ length: 4 }, () => refresh(session.refresh_token));
        const [, ...outcomes] = await Promise.allSettled([logout(session.token), ...racing]);
        for (const outcome of outcomes) {
            if (outcome.status === 'rejected') continue;
            await assert.rejects(introspect(outcome.value.token), kind('unauthenticated'));
            await assert.rejects(refresh(outcome.value.refresh_token), kind('unauthenticated'));
        }
        await assert.rejects(introspect(session.token), kind('unauthenticated'));
    }
});

test('a refresh returns no token pair if a logout commits before it', async () => {
    const { session } = await signedIn(fixture);
    const { session_id } = sessionOf(session.token);
    const ending = await fixture.openTransaction();
    await ending.query('UPDATE identity.sessions SET ended_at = now() WHERE session_id = $1', [session_id]);
    const overtaken = assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
    await fixture.untilBlocked(); // the refresh has read the session as active, and its rotation waits for the lock
    await ending.commit();
    await overtaken;
});

test('a logout that cannot set the refused mark ends the session and fails with unavailable', async () => {
    const failure = new AppError('unavailable', 'some gateways may not know it yet', { reason: 'redis' });
    const unmarked: LivenessMarks = {
        refuse: async () => failure,
        async refuseAnd(_target, commit) {
            await commit();
            throw failure;
        },
        changeVersions: async () => failure,
    };
    const { session } = await signedIn(fixture);
    await assert.rejects(
        fixture.build({ livenessMarks: unmarked }).logout({ token: session.token }, context),
        kind('unavailable'),
    );
    await assert.rejects(introspect(session.token), kind('unauthenticated'));
});

test('a reused token of an ended session sets the refused mark, which an earlier call may have failed to set', async () => {
    const { session } = await signedIn(fixture);
    const { session_id } = sessionOf(session.token);
    await db.rows(sql.unsafe`DELETE FROM identity.sessions WHERE session_id = ${session_id}`);
    assert.equal(await markOf(session.token), null);
    await assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
    assert.equal(await markOf(session.token), 'R');
});

test('a confirmation of a session returns the account, its current tier and the rate limit of sessions', async () => {
    const { user, session } = await signedIn(fixture);
    const { session_id } = sessionOf(session.token);
    const confirm = () => identity.confirmSession({ session_id }, context);
    const confirmed = { alive: true, user_id: user.user_id, version: 0, suspended: false };
    assert.deepEqual(await confirm(), { ...confirmed, tier: 'free', rate_limit: 600 });
    await db.rows(sql.unsafe`UPDATE identity.users SET tier = 'enterprise' WHERE user_id = ${user.user_id}`);
    assert.deepEqual(await confirm(), { ...confirmed, tier: 'enterprise', rate_limit: 10_000 });
    time.aheadMs = REFRESH_SECONDS * 1_000;
    assert.equal((await confirm()).alive, false);
});

test('an ended, unknown or malformed session is not alive', async () => {
    const { session } = await signedIn(fixture);
    const { session_id } = sessionOf(session.token);
    await logout(session.token);
    for (const dead of [session_id, randomUUID(), 'x']) {
        const { alive } = await identity.confirmSession({ session_id: dead }, context);
        assert.equal(alive, false);
    }
});

test('the service lists all its public keys and accepts tokens of a key that no longer signs', async () => {
    const { session } = await signedIn(fixture);
    const rotated = tokens({
        keysPem: `${signingKey()}${fixture.keysPem}`,
        accessSeconds: 60,
        refreshSeconds: 60,
        clock: Date.now,
    });
    const afterRotation = fixture.build({ tokens: rotated });
    const { keys } = await afterRotation.listSigningKeys({}, context);
    assert.equal(keys.length, 2);
    await afterRotation.introspect({ token: session.token }, context);
    const next = await afterRotation.refresh({ refresh_token: session.refresh_token }, context);
    await assert.rejects(introspect(next.token), kind('unauthenticated'), 'the old service does not know the new key');
});
