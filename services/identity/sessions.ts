import { accountSuspended } from '../../platform/access/account-suspended.ts';
import type { LivenessMarks } from '../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { isId } from '../../platform/uuid.ts';
import type { LogoutRequest, LogoutResponse, RefreshRequest, Session } from '../../proto/gen/identity/v1/identity.ts';
import { causeOf } from '../outbox/cause.ts';
import type { RefreshRow, SessionRow } from './sessions.store.ts';
import type { IdentityStore } from './store.ts';
import type { SessionIssuer } from './tokens.ts';

/**
 * Grace period of a spent refresh token, in milliseconds. If the token comes back within it, an answer got lost or a
 * client sent the request twice. If it comes back later, somebody else has the token.
 */
const REUSE_GRACE_MS = 30_000;

interface SessionOptions {
    store: IdentityStore;
    tokens: SessionIssuer;
    livenessMarks: LivenessMarks;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/** Refreshes and ends open sessions. */
export function sessions({ store, tokens, livenessMarks, clock }: SessionOptions) {
    const isoNow = () => new Date(clock()).toISOString();
    const isOver = (session: SessionRow) => Date.parse(session.expires_at) <= clock();

    const end = (account: string, sessionId: string, context: CallContext) =>
        livenessMarks.refuseAnd(
            { account, subject: 'session', ids: [sessionId] },
            () => store.endSession({ session_id: sessionId, now: isoNow(), cause: causeOf(context, account) }, context),
            context,
        );

    return {
        /**
         * Returns the session and the current state of its account; undefined if the session was ended or has expired.
         */
        async findLive(sessionId: string, context: CallContext): Promise<SessionRow | undefined> {
            const session = isId(sessionId) ? await store.findSession(sessionId, context) : undefined;
            return session && !isOver(session) ? session : undefined;
        },

        async refresh({ refresh_token }: RefreshRequest, context: CallContext): Promise<Session> {
            const refused = () => new AppError('unauthenticated', 'The refresh token is invalid or expired.');
            const verdict = tokens.verify(refresh_token, 'refresh');
            if (!('claims' in verdict)) throw refused();
            const { sid: sessionId, jti: spentId } = verdict.claims;
            const session = await store.findRefresh({ session_id: sessionId, refresh_id: spentId }, context);
            if (!session) {
                // A session outlives its tokens, so this one was ended. Its liveness mark may be missing, if Redis did
                // not answer at that time.
                await end(verdict.claims.sub, sessionId, context);
                throw refused();
            }
            if (session.suspended_at !== null) throw accountSuspended();
            if (session.refresh_id !== spentId) {
                if (wasStolen(session, clock())) await end(session.user_id, sessionId, context);
                throw refused();
            }
            const next = tokens.issue(session);
            const rotation = {
                session_id: sessionId,
                spentId,
                refresh_id: next.refresh_id,
                now: isoNow(),
                expires_at: next.session_expires_at,
                forgetBefore: new Date(clock() - REUSE_GRACE_MS).toISOString(),
            };
            const won = await store.rotate(rotation, context);
            if (!won) throw refused(); // meanwhile another call has spent the token or ended the session
            return { token: next.token, refresh_token: next.refresh_token, expires_at: next.expires_at };
        },

        async logout({ token }: LogoutRequest, context: CallContext): Promise<LogoutResponse> {
            const verdict = tokens.verify(token, 'either');
            if (!('claims' in verdict)) throw invalid('token is not a valid, unexpired session token.');
            const endedAt = await end(verdict.claims.sub, verdict.claims.sid, context);
            return { logged_out_at: endedAt ?? isoNow() };
        },
    };
}

/** True if the refresh token was spent so long ago that no lost answer explains why it comes back. */
function wasStolen({ spent_at }: RefreshRow, now: number): boolean {
    return !spent_at || Date.parse(spent_at) < now - REUSE_GRACE_MS;
}
