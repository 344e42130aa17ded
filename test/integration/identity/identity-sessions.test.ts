import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import type { LivenessMarks } from '../../../platform/access/liveness-marks.ts';
import { livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { AppError } from '../../../platform/errors.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { tokens } from '../../../services/identity/tokens.ts';
import { testContext } from '../../support/harness.ts';
import {
    ACCESS_SECONDS,
    identityFixture,
    kind,
    REFRESH_SECONDS,
    SHARDS,
    signedIn,
    signingKey,
} from './identity.fixture.ts';

const fixture = await identityFixture();
const { db, redis, identity, time } = fixture;
const context = testContext({ user_id: undefined });

beforeEach(() => {
    time.ahead_ms = 0;
});

const refresh = (refresh_token: string) => identity.refresh({ refresh_token }, context);
const logout = (token: string) => identity.logout({ token }, context);
const introspect = (token: string) => identity.introspect({ token }, context);

function sessionOf(token: string): { account: string; session_id: string } {
    const verdict = fixture.tokens.verify(token, 'either');
    assert.ok('claims' in verdict);
    return { account: verdict.claims.sub, session_id: verdict.claims.sid };
}

async function markOf(token: string): Promise<string | null> {
    const { account, session_id } = sessionOf(token);
    return redis.get(livenessMarkKey(shardTag(account, SHARDS), 'session', session_id));
}

test('a refresh gives a new pair, and both access tokens live to their exp', async () => {
    const { session } = await signedIn(fixture);
    const next = await refresh(session.refresh_token);
    assert.notEqual(next.token, session.token);
    assert.notEqual(next.refresh_token, session.refresh_token);
    await introspect(session.token);
    await introspect(next.token);
    await refresh(next.refresh_token);
});

test('of twenty refreshes of one token at once exactly one wins, and its session lives on', async () => {
    const { session } = await signedIn(fixture);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => refresh(session.refresh_token)));
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(won.length, 1);
    assert.ok(lost.every(({ reason }) => kind('unauthenticated')(reason)));
    await refresh(won[0]?.value.refresh_token ?? '');
});

test('a refresh token sent again within the grace is refused and ends nothing', async () => {
    const { session } = await signedIn(fixture);
    const second = await refresh(session.refresh_token);
    const third = await refresh(second.refresh_token);
    time.ahead_ms = 29_000;
    await assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
    await introspect(third.token);
    await refresh(third.refresh_token);
});

test('a refresh token that comes back later than 30 s after it was spent ends the session everywhere', async () => {
    const { session } = await signedIn(fixture);
    const next = await refresh(session.refresh_token);
    time.ahead_ms = 31_000;
    const last = await refresh(next.refresh_token); // which forgets what was spent before the grace
    await assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
    await assert.rejects(introspect(last.token), kind('unauthenticated'));
    await assert.rejects(refresh(last.refresh_token), kind('unauthenticated'));
    assert.equal(await markOf(last.token), 'R');
    const { session_id } = sessionOf(last.token);
    const spent = await db.rows(sql.unsafe`
        SELECT FROM identity.spent_refreshes WHERE session_id = ${session_id}`);
    assert.equal(spent.length, 1);
});

test('what is no unexpired refresh token signed here does not refresh', async () => {
    const { user, session } = await signedIn(fixture);
    const foreign = tokens({ keys_pem: signingKey(), access_seconds: 60, refresh_seconds: 60, clock: Date.now });
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
    time.ahead_ms = REFRESH_SECONDS * 1_000;
    await assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
});

test('a refreshed token carries the account as it is now', async () => {
    const { user, session } = await signedIn(fixture);
    await db.rows(sql.unsafe`UPDATE identity.users SET tier = 'pro' WHERE user_id = ${user.user_id}`);
    const { token } = await refresh(session.refresh_token);
    const verdict = fixture.tokens.verify(token, 'access');
    assert.ok('claims' in verdict && verdict.claims.tier === 'pro');
});

test('a logout by either token kills both at once, with a refused mark for the gateways', async () => {
    for (const which of ['token', 'refresh_token'] as const) {
        const { session } = await signedIn(fixture);
        await logout(session[which]);
        assert.equal(await markOf(session.token), 'R');
        await assert.rejects(introspect(session.token), kind('unauthenticated'));
        await assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
    }
});

test('twenty logouts at once and one later all succeed with the first time', async () => {
    const { session } = await signedIn(fixture);
    const answers = await Promise.all(Array.from({ length: 20 }, () => logout(session.token)));
    answers.push(await logout(session.refresh_token));
    assert.equal(new Set(answers.map(({ logged_out_at }) => logged_out_at)).size, 1);
});

test('a malformed, badly signed or expired token does not log out', async () => {
    const { session } = await signedIn(fixture);
    for (const bad of ['', 'a.b.c', `${session.token.slice(0, -4)}AAAA`]) {
        await assert.rejects(logout(bad), kind('invalid'));
    }
    time.ahead_ms = ACCESS_SECONDS * 1_000;
    await assert.rejects(logout(session.token), kind('invalid'));
    await logout(session.refresh_token);
});

test('a session of which nothing is stored any more counts as ended', async () => {
    const { session, email } = await signedIn(fixture);
    const lasting = tokens({ keys_pem: fixture.keys_pem, access_seconds: 60, refresh_seconds: 9_000, clock: Date.now });
    const { account, session_id } = sessionOf(session.token);
    await db.rows(sql.unsafe`DELETE FROM identity.sessions WHERE session_id = ${session_id}`); // as the daily job does
    const { refresh_token } = lasting.issue({ user_id: account, email, tier: 'free', session_id });
    await logout(refresh_token);
    await assert.rejects(refresh(refresh_token), kind('unauthenticated'));
});

test('refreshes and a logout at once leave nothing alive', async () => {
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

test('a refresh that is overtaken by the logout gives no new pair', async () => {
    const { session } = await signedIn(fixture);
    const { session_id } = sessionOf(session.token);
    const ending = await fixture.openTransaction();
    await ending.query('UPDATE identity.sessions SET ended_at = now() WHERE session_id = $1', [session_id]);
    const overtaken = assert.rejects(refresh(session.refresh_token), kind('unauthenticated'));
    await fixture.untilBlocked(); // it has read the session alive, and its rotation waits
    await ending.commit();
    await overtaken;
});

test('a logout that cannot set its mark ends the session and says that it is not known everywhere', async () => {
    const failure = new AppError('unavailable', 'not known everywhere');
    const unmarked: LivenessMarks = {
        refuse: async () => failure,
        async refuseAnd(_target, commit) {
            await commit();
            throw failure;
        },
    };
    const { session } = await signedIn(fixture);
    await assert.rejects(
        fixture.build({ livenessMarks: unmarked }).logout({ token: session.token }, context),
        kind('unavailable'),
    );
    await assert.rejects(introspect(session.token), kind('unauthenticated'));
});

test('a confirmation gives the account, its tier as it is now and the limit of its sessions', async () => {
    const { user, session } = await signedIn(fixture);
    const { session_id } = sessionOf(session.token);
    const confirm = () => identity.confirmSession({ session_id }, context);
    assert.deepEqual(await confirm(), { alive: true, user_id: user.user_id, tier: 'free', rate_limit: 600 });
    await db.rows(sql.unsafe`UPDATE identity.users SET tier = 'enterprise' WHERE user_id = ${user.user_id}`);
    assert.deepEqual(await confirm(), { alive: true, user_id: user.user_id, tier: 'enterprise', rate_limit: 10_000 });
    time.ahead_ms = REFRESH_SECONDS * 1_000;
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

test('the listed public keys verify the tokens, those of a key that no longer signs too', async () => {
    const { session } = await signedIn(fixture);
    const rotated = tokens({
        keys_pem: `${signingKey()}${fixture.keys_pem}`,
        access_seconds: 60,
        refresh_seconds: 60,
        clock: Date.now,
    });
    const after_rotation = fixture.build({ tokens: rotated });
    const { keys } = await after_rotation.listSigningKeys({}, context);
    assert.equal(keys.length, 2);
    await after_rotation.introspect({ token: session.token }, context);
    const next = await after_rotation.refresh({ refresh_token: session.refresh_token }, context);
    await assert.rejects(introspect(next.token), kind('unauthenticated'), 'the old service does not know the new key');
});
