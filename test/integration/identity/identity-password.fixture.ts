import { z } from 'zod';
import { sql } from '../../../platform/postgres/db.ts';
import { testContext } from '../../support/harness.ts';
import { identityFixture, PASSWORD, signedIn } from './identity.fixture.ts';

export const NEW_PASSWORD = 'another horse battery';

/** Builds the identity service, and functions that change passwords and look at sessions. */
export async function passwordFixture() {
    const fixture = await identityFixture();
    const { db, identity } = fixture;
    const sessionIdOf = (token: string) => fixture.sessionOf(token).session_id;

    /** Registers an account and logs in. Returns the session, and the context of a call in that session. */
    async function caller() {
        const { email, user, session, context } = await signedIn(fixture);
        const sessionId = sessionIdOf(session.token);
        return {
            email,
            session,
            session_id: sessionId,
            place: context,
            context: { ...context, user_id: user.user_id, session_id: sessionId },
        };
    }

    const change = (context: ReturnType<typeof testContext>, current = PASSWORD, next = NEW_PASSWORD) =>
        identity.changePassword({ current_password: current, new_password: next }, context);
    const tryLogin = (email: string, password: string, context = testContext()) =>
        identity.login({ email, password }, context);
    const introspect = (token: string) => identity.introspect({ token }, testContext());

    async function liveSessions(userId: string | undefined): Promise<string[]> {
        const rows = await db.rows(sql.type(z.strictObject({ session_id: z.string() }))`
            SELECT session_id FROM identity.sessions WHERE user_id = ${userId ?? null} AND ended_at IS NULL`);
        return rows.map((row) => row.session_id);
    }

    return { ...fixture, sessionIdOf, caller, change, tryLogin, introspect, liveSessions };
}
