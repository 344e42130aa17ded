import type { LivenessMarks } from '../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { LogoutRequest, LogoutResponse, RefreshRequest, Session } from '../../proto/gen/identity/v1/identity.ts';
import type { RefreshRow, SessionRow } from './sessions.store.ts';
import type { IdentityStore } from './store.ts';
import type { SessionIssuer } from './tokens.ts';

/**
 * Grace period of a spent refresh token, in milliseconds: the answer got lost, or a request was sent twice. If the
 * token comes back later, somebody else has it.
 */
const REUSE_GRACE_MS = 30_000;

/** Refreshes and ends open sessions. */
export function sessions({
    store,
    tokens,
    livenessMarks,
    clock,
}: {
    store: IdentityStore;
    tokens: SessionIssuer;
    livenessMarks: LivenessMarks;
    clock: () => number;
}) {
    const isoNow = () => new Date(clock()).toISOString();
    const isOver = (session: SessionRow) => Date.parse(session.expires_at) <= clock();

    const end = (account: string, session_id: string, context: CallContext) =>
        livenessMarks.refuseAnd(
            { account, subject: 'session', ids: [session_id] },
            () => store.endSession({ session_id, now: isoNow() }, context),
            context,
        );

    const wasStolen = ({ spent_at }: RefreshRow) => !spent_at || Date.parse(spent_at) < clock() - REUSE_GRACE_MS;

    return {
        /** The current state of the session, if it is active. */
        async findLive(session_id: string, context: CallContext): Promise<SessionRow | undefined> {
            const session = isId(session_id) ? await store.findSession(session_id, context) : undefined;
            return session && !isOver(session) ? session : undefined;
        },

        async refresh({ refresh_token }: RefreshRequest, context: CallContext): Promise<Session> {
            const refused = () => new AppError('unauthenticated', 'The refresh token is invalid or expired.');
            const verdict = tokens.verify(refresh_token, 'refresh');
            if (!('claims' in verdict)) throw refused();
            const { sid: session_id, jti: spent_id } = verdict.claims;
            const session = await store.findRefresh({ session_id, refresh_id: spent_id }, context);
            if (!session) throw refused(); // it outlives its tokens, so it has been ended
            if (session.refresh_id !== spent_id) {
                if (wasStolen(session)) await end(session.user_id, session_id, context);
                throw refused();
            }
            const next = tokens.issue(session);
            const rotation = {
                session_id,
                spent_id,
                refresh_id: next.refresh_id,
                now: isoNow(),
                expires_at: next.session_expires_at,
                forget_before: new Date(clock() - REUSE_GRACE_MS).toISOString(),
            };
            const won = await store.rotate(rotation, context);
            if (!won) throw refused(); // its token was spent, or it was ended, since it was read
            return { token: next.token, refresh_token: next.refresh_token, expires_at: next.expires_at };
        },

        async logout({ token }: LogoutRequest, context: CallContext): Promise<LogoutResponse> {
            const verdict = tokens.verify(token, 'either');
            if (!('claims' in verdict)) throw invalid('token is not a valid, unexpired session token.');
            const ended_at = await end(verdict.claims.sub, verdict.claims.sid, context);
            return { logged_out_at: ended_at ?? isoNow() };
        },
    };
}
