import type { Actor } from '../load/actor.ts';
import { type Answer, type Data, isAcknowledged, isRefused } from '../load/calls.ts';
import type { EntryOf, Journal } from '../load/journal.ts';
import type { Reader } from './reader.ts';
import { broken, differences, lost, notInForce, type Violation } from './violation.ts';

/** Checks the registrations of a client, and the name and password of its account. */
export async function checkAccounts(actor: Actor, journal: Journal, api: Reader): Promise<Violation[]> {
    const violations: Violation[] = [];
    for (const entry of journal.of(actor.index, 'register')) violations.push(...(await checkRegistered(entry, api)));
    violations.push(...(await checkName(actor, journal, api)));
    violations.push(...(await checkPassword(actor, journal, api)));
    return violations;
}

function logIn(email: string, password: string, api: Reader): Promise<Answer> {
    return api.ask({ method: 'POST', path: '/internal/v1/auth/login', body: { email, password } });
}

async function checkRegistered(entry: EntryOf<'register'>, api: Reader): Promise<Violation[]> {
    const { email, password, name } = entry.intent;
    const { outcome } = entry;
    const login = await logIn(email, password, api);
    if (isAcknowledged(outcome)) {
        if (login.status !== 200) return [lost(entry, `a login is answered with ${login.status}`)];
        const me = await api.ask({ method: 'GET', path: '/v1/me', token: String(login.data['token']) });
        const other = differences(outcome.data, me.data, ['user_id', 'email', 'name', 'tier', 'created_at']);
        return other.length > 0 ? [lost(entry, `the account has another ${other.join(', ')}`)] : [];
    }
    if (login.status === 200) {
        const me = await api.ask({ method: 'GET', path: '/v1/me', token: String(login.data['token']) });
        const other = differences({ email, name, tier: 'free' }, me.data, ['email', 'name', 'tier']);
        return me.status === 200 && other.length === 0
            ? []
            : [broken('I3', entry, 'only a part of the account exists')];
    }
    const body = { email, password, name };
    const again = await api.ask({ method: 'POST', path: '/internal/v1/auth/register', internal: true, body });
    return again.status === 201 ? [] : [broken('I3', entry, 'no login succeeds, but the address is taken')];
}

/** Checks that the account has the last acknowledged name, or that of a later write in doubt. */
async function checkName({ index, token }: Actor, journal: Journal, api: Reader): Promise<Violation[]> {
    const attempts = journal.of(index, 'rename').filter(({ outcome }) => !isRefused(outcome));
    const last = attempts.findLastIndex(({ outcome }) => isAcknowledged(outcome));
    const acknowledged = attempts[last];
    if (!acknowledged) return [];
    const possible = attempts.slice(last).map(({ intent }) => intent.name);
    const answers = await api.askAll({ method: 'GET', path: '/v1/me', token });
    const isRight = ({ data }: { data: Data }): boolean => possible.includes(String(data['name']));
    return answers.every(isRight) ? [] : [lost(acknowledged, 'the account has another name')];
}

/** Checks that exactly one of the possible passwords works, and none from before the last acknowledged change. */
async function checkPassword(actor: Actor, journal: Journal, api: Reader): Promise<Violation[]> {
    const attempts = journal.of(actor.index, 'change-password');
    const [first] = attempts;
    const last = attempts.at(-1);
    if (!first || !last) return [];
    const acknowledged = attempts.filter(({ outcome }) => isAcknowledged(outcome)).at(-1);
    const old = attempts.filter(({ number }) => number < last.number).map(({ intent }) => intent.from);
    const inDoubt = isAcknowledged(last.outcome) ? [last.intent.to] : [last.intent.from, last.intent.to];
    if (isAcknowledged(last.outcome)) old.push(last.intent.from);
    const works = async (password: string): Promise<boolean> =>
        (await logIn(actor.email, password, api)).status === 200;
    const working = await Promise.all(inDoubt.map(works));
    if (working.filter(Boolean).length !== 1) {
        const text = `${working.filter(Boolean).length} of the possible passwords work, not 1`;
        return [acknowledged ? lost(acknowledged, text) : broken('I3', last, text)];
    }
    // Three at most, because logins are delayed after more wrong passwords.
    const revived = await Promise.all(old.slice(-3).map(works));
    return revived.includes(true) ? [notInForce(acknowledged ?? last, 'an earlier password works')] : [];
}
