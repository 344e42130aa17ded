import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { pruneSessions } from '../../../services/identity/prune.store.ts';
import { sessionStore } from '../../../services/identity/sessions.store.ts';
import { testContext } from '../../support/harness.ts';
import { identityFixture, signedIn } from './identity.fixture.ts';

const fixture = await identityFixture();
const { db, identity, sessionOf } = fixture;

test('a session ends exactly at the millisecond of its expiry and is alive one millisecond before', async (t) => {
    const { session } = await signedIn(fixture);
    const { session_id } = sessionOf(session.token);
    const expiresMs = Date.parse((await sessionStore(db).findSession(session_id))?.expires_at ?? '');
    const clock = t.mock.method(Date, 'now', () => expiresMs - 1);
    const isAlive = async () => (await identity.confirmSession({ session_id }, testContext())).alive;
    assert.equal(await isAlive(), true);
    clock.mock.mockImplementation(() => expiresMs);
    assert.equal(await isAlive(), false);
});

test('pruning removes a session after it has expired, and not before', async () => {
    const [kept, expired] = [await signedIn(fixture), await signedIn(fixture)];
    const { session_id } = sessionOf(expired.session.token);
    await db.rows(sql.unsafe`
        UPDATE identity.sessions SET expires_at = now() - interval '1 millisecond' WHERE session_id = ${session_id}`);
    await pruneSessions(db);
    const { findSession } = sessionStore(db);
    assert.equal(await findSession(session_id), undefined);
    assert.ok(await findSession(sessionOf(kept.session.token).session_id));
});

test('the store finds no refresh token of a session that has ended', async () => {
    const { session } = await signedIn(fixture);
    const { session_id } = sessionOf(session.token);
    const target = { session_id, refresh_id: randomUUID() };
    const { findRefresh } = sessionStore(db);
    assert.equal((await findRefresh(target))?.session_id, session_id);
    await identity.logout({ token: session.token }, testContext());
    assert.equal(await findRefresh(target), undefined);
});
