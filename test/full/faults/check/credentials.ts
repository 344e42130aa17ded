import type { Actor } from '../load/actor.ts';
import { type Data, isAcknowledged } from '../load/calls.ts';
import type { EntryOf, Journal } from '../load/journal.ts';
import type { Reader } from './reader.ts';
import { broken, differences, lost, notInForce, type Violation } from './violation.ts';

export interface Found {
    violations: Violation[];
    /** Number of rows that were read, by their name in the statistics. */
    counts: Record<string, number>;
}

/** Credentials of a client whose signature and claims are verified. The list check covers all its credentials. */
const VERIFIED = 60;

/** Checks credentials and revocations: the list of the issuer, the status of each revoked one, and some tokens. */
export async function checkCredentials(actor: Actor, journal: Journal, api: Reader): Promise<Found> {
    const { did, key, index } = actor;
    const list = { path: `/v1/credentials/by-issuer/${did}`, token: key.secret };
    const { rows, total } = await api.rows(list, 'credentials');
    const issues = journal.of(index, 'issue');
    const revocations = journal.of(index, 'revoke');
    const violations = [...compareIssues(issues, rows), ...compareList(issues, rows, total)];
    const byId = Map.groupBy(revocations, ({ intent }) => intent.credentialId);
    for (const row of rows) {
        const id = String(row['credential_id']);
        const own = byId.get(id);
        if (own) violations.push(...(await checkRevoked(id, own, row, actor, api)));
        else if (row['revoked'])
            violations.push({ invariant: 'I3', text: `${id} is revoked, but no client revoked it` });
    }
    const kept = issues.filter(({ outcome }) => isAcknowledged(outcome) && !byId.has(idOf(outcome)));
    for (const entry of spread(kept, VERIFIED)) violations.push(...(await verify(entry, actor, api)));
    const revoked = rows.filter((row) => row['revoked']).length;
    return { violations, counts: { credentials_issued: rows.length, credentials_revoked: revoked } };
}

/** Checks that each acknowledged revocation is in force on every gateway. */
export async function checkRevocationsHold(actor: Actor, journal: Journal, api: Reader): Promise<Violation[]> {
    const violations: Violation[] = [];
    for (const entry of journal.of(actor.index, 'revoke').filter(({ outcome }) => isAcknowledged(outcome))) {
        const path = `/v1/credentials/status/${encodeURIComponent(entry.intent.credentialId)}`;
        const answers = await api.askAll({ method: 'GET', path, token: actor.key.secret });
        if (answers.some(({ data }) => data['revoked'] !== true)) {
            violations.push(broken('I5', entry, 'it reads as not revoked'));
        }
    }
    return violations;
}

function compareIssues(issues: ReadonlyArray<EntryOf<'issue'>>, rows: readonly Data[]): Violation[] {
    const bySubject = Map.groupBy(rows, (row) => String(row['subject']));
    return issues.flatMap((entry) => {
        const { subject, type } = entry.intent;
        const [row, ...more] = bySubject.get(subject) ?? [];
        const { outcome } = entry;
        if (more.length > 0) return [broken('I5', entry, 'it exists more than once')];
        if (isAcknowledged(outcome)) {
            if (!row) return [lost(entry, 'it is not in the list of its issuer')];
            const other = differences(outcome.data, row, ['credential_id', 'subject', 'credential_type', 'issued_at']);
            return other.length > 0 ? [lost(entry, `the list has another ${other.join(', ')}`)] : [];
        }
        if (row && row['credential_type'] !== type) return [broken('I3', entry, 'only a part of it exists')];
        return [];
    });
}

function compareList(issues: ReadonlyArray<EntryOf<'issue'>>, rows: readonly Data[], total: number): Violation[] {
    const subjects = new Set(issues.map(({ intent }) => intent.subject));
    const strange = rows.filter((row) => !subjects.has(String(row['subject']))).length;
    const wrong: Violation[] = [];
    if (strange > 0) wrong.push({ invariant: 'I4', text: `${strange} listed credentials were never requested` });
    if (total !== rows.length) wrong.push({ invariant: 'I4', text: `a list of ${rows.length} says total ${total}` });
    return wrong;
}

/** Checks that the status on every gateway, the row and the verification of a credential agree about its revocation. */
async function checkRevoked(
    id: string,
    attempts: ReadonlyArray<EntryOf<'revoke'>>,
    row: Data,
    { key: { secret: token }, did }: Actor,
    api: Reader,
): Promise<Violation[]> {
    const path = `/v1/credentials/status/${encodeURIComponent(id)}`;
    const statuses = await api.askAll({ method: 'GET', path, token });
    const [first] = attempts as [EntryOf<'revoke'>]; // a group has at least one entry
    const acknowledged = attempts.find(({ outcome }) => isAcknowledged(outcome));
    const states = [row, ...statuses.map(({ data }) => data)];
    if (acknowledged && isAcknowledged(acknowledged.outcome)) {
        const { data } = acknowledged.outcome;
        if (states.some(({ revoked }) => revoked !== true)) return [notInForce(acknowledged, 'it is not revoked')];
        const others = statuses.flatMap((status) => differences(data, status.data, ['revoked_at', 'reason']));
        if (others.length > 0) return [lost(acknowledged, `its status has another ${others.join(', ')}`)];
    } else if (states.some(({ revoked }) => revoked !== row['revoked'])) {
        return [broken('I3', first, 'gateways and the list do not agree whether it is revoked')];
    }
    if (row['revoked'] !== true) return [];
    const reasons = attempts.map(({ intent }) => intent.reason);
    const isWhole = statuses.every(({ data }) => data['revoked_at'] && reasons.includes(String(data['reason'])));
    if (!isWhole) return [broken('I3', first, 'it is revoked without its time or reason')];
    return verifyRevoked(first, { token, did, api, attempts });
}

async function verifyRevoked(
    entry: EntryOf<'revoke'>,
    options: { token: string; did: string; api: Reader; attempts: ReadonlyArray<EntryOf<'revoke'>> },
): Promise<Violation[]> {
    const { token, did, api } = options;
    const credential = entry.intent.token;
    const body = { credential, issuer_did: did, check_revocation: true };
    const answers = await api.askAll({ method: 'POST', path: '/v1/credentials/verify', token, body });
    const isRefused = answers.every(({ data }) => data['valid'] === false && data['revoked'] === true);
    return isRefused ? [] : [notInForce(entry, 'it is verified as if it were not revoked')];
}

/** Checks that the token of an acknowledged issue verifies with exactly the fields that were signed. */
async function verify(entry: EntryOf<'issue'>, { key, did }: Actor, api: Reader): Promise<Violation[]> {
    if (!isAcknowledged(entry.outcome)) return [];
    const { data } = entry.outcome;
    const body = { credential: data['credential'], issuer_did: did, check_revocation: true };
    const path = '/v1/credentials/verify';
    const answer = await api.ask({ method: 'POST', path, token: key.secret, body });
    const expected = { ...data, claims: entry.intent.claims, valid: true, revoked: false };
    const fields = ['valid', 'revoked', 'issuer', 'subject', 'credential_type', 'issued_at', 'claims'];
    const other = differences(expected, answer.data, fields);
    return other.length > 0 ? [lost(entry, `its token verifies with another ${other.join(', ')}`)] : [];
}

function idOf(outcome: EntryOf<'issue'>['outcome']): string {
    return isAcknowledged(outcome) ? String(outcome.data['credential_id']) : '';
}

/** Returns at most `most` items, spread over the whole list. */
function spread<Item>(items: readonly Item[], most: number): Item[] {
    const step = Math.max(1, items.length / most);
    return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step)).slice(0, most);
}
