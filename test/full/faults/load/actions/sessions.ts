import { randomUUID } from 'node:crypto';
import { type Actor, newPassword, type Session, takeAny } from '../actor.ts';
import { type Data, isAcknowledged } from '../calls.ts';

/** Number of sessions that a client keeps for later actions. */
const IN_HAND = 4;

export async function openSession(actor: Actor): Promise<void> {
    const { email, password } = actor;
    if (password === undefined) return;
    const request = { method: 'POST', path: '/internal/v1/auth/login', body: { email, password } } as const;
    const outcome = await actor.perform({ kind: 'open-session' }, request);
    if (isAcknowledged(outcome) && actor.sessions.length < IN_HAND) actor.sessions.push(sessionOf(outcome.data));
}

export async function refreshSession(actor: Actor): Promise<void> {
    const session = takeAny(actor.sessions);
    if (!session) return openSession(actor);
    const { name, refreshToken } = session;
    const path = '/internal/v1/auth/refresh';
    const request = { method: 'POST', path, internal: true, body: { refresh_token: refreshToken } } as const;
    const outcome = await actor.perform({ kind: 'refresh', session: name, refreshToken: refreshToken }, request);
    if (isAcknowledged(outcome)) actor.sessions.push(sessionOf(outcome.data));
}

/** Ends a session, and uses it at once on every gateway, which must refuse it. */
export async function endSession(actor: Actor): Promise<void> {
    const session = takeAny(actor.sessions);
    if (!session) return openSession(actor);
    const { name, token } = session;
    const request = { method: 'POST', path: '/internal/v1/auth/logout', internal: true, body: { token } } as const;
    const outcome = await actor.perform({ kind: 'end-session', session: name }, request);
    if (isAcknowledged(outcome)) await useEnded(actor, [session]);
}

/** Changes the password, which ends every session except the calling one, and uses the ended sessions at once. */
export async function changePassword(actor: Actor): Promise<void> {
    const from = actor.password;
    if (from === undefined) return;
    const to = newPassword();
    const body = { current_password: from, new_password: to };
    const request = { method: 'POST', path: '/v1/me/password', token: actor.token, body } as const;
    const ended = actor.sessions.splice(0);
    actor.password = undefined;
    const outcome = await actor.perform({ kind: 'change-password', from, to }, request);
    if (!isAcknowledged(outcome)) return;
    actor.password = to;
    await useEnded(actor, ended);
}

export async function rename(actor: Actor): Promise<void> {
    const name = `name ${randomUUID()}`;
    const request = { method: 'PATCH', path: '/v1/me', token: actor.token, body: { name } } as const;
    await actor.perform({ kind: 'rename', name }, request);
}

export async function register(actor: Actor): Promise<void> {
    const account = { email: `person-${randomUUID()}@faults.example`, password: newPassword(), name: 'Person' };
    const path = '/internal/v1/auth/register';
    const request = { method: 'POST', path, internal: true, body: account } as const;
    await actor.perform({ kind: 'register', ...account }, request);
}

async function useEnded(actor: Actor, sessions: readonly Session[]): Promise<void> {
    for (const { name, token } of sessions) {
        for (const gateway of [0, 1]) {
            const use = { method: 'GET', path: `/v1/did/${actor.did}`, token } as const;
            await actor.perform({ kind: 'use-ended-session', session: name }, use, gateway);
        }
    }
}

/** Names a session by its refresh token, because the journal's entry of the answer contains both tokens. */
function sessionOf({ token, refresh_token }: Data): Session {
    return { name: String(refresh_token), token: String(token), refreshToken: String(refresh_token) };
}
