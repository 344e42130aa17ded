import type { Actor } from '../load/actor.ts';
import { type Data, isAcknowledged } from '../load/calls.ts';
import type { Entry, EntryOf, Journal } from '../load/journal.ts';
import type { Reader } from './reader.ts';
import { broken, lost, notInForce, type Violation } from './violation.ts';

interface Opened {
    entry: Entry;
    token: string;
    refreshToken: string;
    /** Writes that may have ended it. */
    ends: Entry[];
    isEnded: boolean;
}

/** Checks that every gateway accepts the sessions that no client ended, and that none accepts an ended one. */
export async function checkSessions(actor: Actor, journal: Journal, api: Reader): Promise<Violation[]> {
    const violations: Violation[] = [];
    for (const { entry, token, ends, isEnded } of openedBy(actor, journal)) {
        const [end] = ends;
        if (end?.intent.kind === 'end-session' && !isEnded) violations.push(...(await repeatEnd(end, token, api)));
        const uses = await api.askAll({ method: 'GET', path: '/v1/me', token });
        const works = uses.map(({ status }) => status === 200);
        if (!end && works.includes(false)) violations.push(lost(entry, 'a gateway refuses the session'));
        // A change of the password that was not acknowledged may or may not have ended it.
        if (!end || !(isEnded || end.intent.kind === 'end-session') || !works.includes(true)) continue;
        violations.push(
            isEnded
                ? notInForce(end, 'a gateway accepts the session')
                : broken('I3', end, 'a gateway accepts the session after the logout was repeated'),
        );
    }
    return violations;
}

/** Repeats a logout that was not acknowledged, as its answer asks: some gateways may not know it yet. */
async function repeatEnd(end: Entry, token: string, api: Reader): Promise<Violation[]> {
    const path = '/internal/v1/auth/logout';
    const { status } = await api.ask({ method: 'POST', path, internal: true, body: { token } });
    return status === 200 ? [] : [broken('I3', end, `its repetition is answered with ${status}`)];
}

/** Checks that each ended session is refused and cannot be refreshed. */
export async function checkEndedSessionsHold(actor: Actor, journal: Journal, api: Reader): Promise<Violation[]> {
    const violations: Violation[] = [];
    for (const { token, refreshToken, ends, isEnded } of openedBy(actor, journal)) {
        const [end] = ends;
        if (!isEnded || !end) continue;
        const uses = await api.askAll({ method: 'GET', path: '/v1/me', token });
        const body = { refresh_token: refreshToken };
        const path = '/internal/v1/auth/refresh';
        const refreshed = await api.ask({ method: 'POST', path, internal: true, body });
        if ([...uses, refreshed].some(({ status }) => status !== 401)) {
            violations.push(broken('I5', end, 'the session is accepted, or can be refreshed'));
        }
    }
    return violations;
}

/** Returns each pair of tokens that the client received. After a refresh, the earlier access token stays valid. */
function openedBy({ index }: Actor, journal: Journal): Opened[] {
    const logouts = journal.of(index, 'end-session');
    const changes = journal.of(index, 'change-password');
    const refreshes = journal.of(index, 'refresh');
    const opened = [...journal.of(index, 'open-session'), ...refreshes];
    return opened.flatMap((entry) => {
        if (!isAcknowledged(entry.outcome)) return [];
        const { token, refresh_token } = entry.outcome.data as Data;
        const family = descendants(String(refresh_token), refreshes);
        const ends: Entry[] = [
            ...logouts.filter(({ intent }) => family.has(intent.session)),
            ...changes.filter(({ number }) => number > entry.number),
        ];
        const weight = ({ outcome, intent }: Entry): number =>
            Number(isAcknowledged(outcome)) * 2 + Number(intent.kind === 'end-session');
        ends.sort((a, b) => weight(b) - weight(a));
        const isEnded = ends.some(({ outcome }) => isAcknowledged(outcome));
        return [{ entry, token: String(token), refreshToken: String(refresh_token), ends, isEnded }];
    });
}

/** Returns this refresh token and all tokens refreshed from it. They belong to one session. */
function descendants(first: string, refreshes: ReadonlyArray<EntryOf<'refresh'>>): Set<string> {
    const family = new Set([first]);
    for (const { intent, outcome } of refreshes) {
        if (family.has(intent.refreshToken) && isAcknowledged(outcome))
            family.add(String(outcome.data['refresh_token']));
    }
    return family;
}
