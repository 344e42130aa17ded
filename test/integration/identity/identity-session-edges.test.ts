import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { pruneSessions } from '../../../services/identity/prune.store.ts';
import { sessionStore } from '../../../services/identity/sessions.store.ts';
import { testContext } from '../../support/harness.ts';
import { identityFixture, signedIn } from './identity.fixture.ts';

const fixture = await identityFixture();
const { db, identity } = fixture;

function sessionOf(token: string): { session_id: string } {
    const verdict = fixture.tokens.verify(token, 'either');
    assert.ok('claims' in verdict);
    return { session_id: verdict.claims.sid };
}

test('a session is over at the very millisecond at which it expires, and alive in the one before', async (t) => {
    const { session } = await signedIn(fixture);
    const { session_id } = sessionOf(session.token);
    const expires_ms = Date.parse((await sessionStore(db).findSession(session_id))?.expires_at ?? '');
    const clock = t.mock.method(Date, 'now', () => expires_ms - 1);
    const isAlive = async () => (await identity.confirmSession({ session_id }, testContext())).alive;
    assert.equal(await isAlive(), true);
    clock.mock.mockImplementation(() => expires_ms);
    assert.equal(await isAlive(), false);
});

test('a session is removed once it has expired, and not before', async () => {
    const [kept, expired] = [await signedIn(fixture), await signedIn(fixture)];
    const { session_id } = sessionOf(expired.session.token);
    await db.rows(sql.unsafe`
        UPDATE identity.sessions SET expires_at = now() - interval '1 millisecond' WHERE session_id = ${session_id}`);
    await pruneSessions(db);
    const { findSession } = sessionStore(db);
    assert.equal(await findSession(session_id), undefined);
    assert.ok(await findSession(sessionOf(kept.session.token).session_id));
});

test('the store finds no refresh token of a session that has ended, whatever becomes of it later', async () => {
    const { session } = await signedIn(fixture);
    const { session_id } = sessionOf(session.token);
    const target = { session_id, refresh_id: randomUUID() };
    const { findRefresh } = sessionStore(db);
    assert.equal((await findRefresh(target))?.session_id, session_id);
    await identity.logout({ token: session.token }, testContext());
    assert.equal(await findRefresh(target), undefined);
});
