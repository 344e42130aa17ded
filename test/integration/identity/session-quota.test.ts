import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { testContext } from '../../support/harness.ts';
import { identityFixture, kind, login, newEmail, PASSWORD, SHARDS } from './identity.fixture.ts';

const fixture = await identityFixture();
const { db, redis } = fixture;
const MOST = 3;
const most = { free: MOST, basic: 10, pro: 10, enterprise: 10 };
const identity = fixture.build({ sessionQuota: most });

const longContext = () => testContext({ user_id: undefined, deadline: Number.POSITIVE_INFINITY });

async function newAccount(): Promise<{ email: string; user_id: string }> {
    const email = newEmail();
    const { user_id } = await identity.register({ email, password: PASSWORD }, longContext());
    return { email, user_id };
}

const logIn = async (email: string) => (await login({ identity }, email, longContext())).session;
const sid = (token: string): string => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid;
const isAlive = async (token: string): Promise<boolean> =>
    (await identity.confirmSession({ session_id: sid(token) }, longContext())).alive;

async function rowsOf(userId: string): Promise<number> {
    const [row] = await db.rows(
        sql.type(
            z.strictObject({ rows: z.number() }),
        )`SELECT count(*) AS rows FROM identity.sessions WHERE user_id = ${userId}`,
    );
    return row?.rows ?? 0;
}

test('a login beyond the quota ends the oldest session at once, and both of its tokens become invalid', async () => {
    const { email, user_id } = await newAccount();
    const sessions = [];
    for (let n = 0; n < MOST; n++) sessions.push(await logIn(email));
    for (const { token } of sessions) assert.equal(await isAlive(token), true);
    sessions.push(await logIn(email));
    const alive = await Promise.all(sessions.map(({ token }) => isAlive(token)));
    assert.deepEqual(alive, [false, true, true, true]);
    const [oldest = { token: '', refresh_token: '' }] = sessions;
    const mark = livenessMarkKey(shardTag(user_id, SHARDS), 'session', sid(oldest.token));
    assert.equal(await redis.get(mark), 'R', 'the refused mark tells gateways that have cached the session as alive');
    const refreshed = identity.refresh({ refresh_token: oldest.refresh_token }, longContext());
    await assert.rejects(refreshed, kind('unauthenticated'));
    await identity.logout({ token: oldest.token }, longContext());
    const quotas = await identity.getQuotas({}, testContext({ user_id }));
    assert.deepEqual(quotas, { sessions: { used: MOST, limit: MOST } });
});

test('a login removes ended sessions before open ones, and an account has no more rows than its quota', async () => {
    const { email, user_id } = await newAccount();
    const [kept, ...others] = [await logIn(email), await logIn(email), await logIn(email)];
    for (const { token } of others) await identity.logout({ token }, longContext());
    for (let n = 0; n < 5; n++) {
        const { token } = await logIn(email);
        assert.equal(await isAlive(kept?.token ?? ''), true);
        await identity.logout({ token }, longContext());
        assert.ok((await rowsOf(user_id)) <= MOST);
    }
});

test('an account keeps no more sessions than the quota when many logins arrive at once', async () => {
    const { email, user_id } = await newAccount();
    const sessions = await Promise.all(Array.from({ length: 4 * MOST }, () => logIn(email)));
    assert.equal(await rowsOf(user_id), MOST);
    const alive = await Promise.all(sessions.map(({ token }) => isAlive(token)));
    assert.equal(alive.filter(Boolean).length, MOST);
});

test('logins beyond the quota end no sessions of other accounts', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const { token } = await logIn(one.email);
    for (let n = 0; n < MOST + 2; n++) await logIn(other.email);
    assert.equal(await isAlive(token), true);
});
