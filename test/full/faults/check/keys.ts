import type { Actor } from '../load/actor.ts';
import { type Data, isAcknowledged } from '../load/calls.ts';
import type { EntryOf, Journal } from '../load/journal.ts';
import type { Found } from './credentials.ts';
import type { Reader } from './reader.ts';
import { broken, differences, lost, notInForce, type Violation } from './violation.ts';

const FIELDS = ['key_id', 'name', 'tier', 'rate_limit', 'created_at'];

/** Checks the list of API keys, and that every gateway accepts active keys and refuses revoked ones. */
export async function checkKeys(actor: Actor, journal: Journal, api: Reader): Promise<Found> {
    const made = journal.of(actor.index, 'make-key');
    const revocations = Map.groupBy(journal.of(actor.index, 'revoke-key'), ({ intent }) => intent.keyId);
    const violations: Violation[] = [];
    for (const attempts of revocations.values()) violations.push(...(await repeatRevocation(attempts, actor, api)));
    const { rows, total } = await api.rows({ path: '/v1/keys', token: actor.token }, 'keys');
    const byName = Map.groupBy(rows, (row) => String(row['name']));
    for (const entry of made) {
        const [row, ...more] = byName.get(entry.intent.name) ?? [];
        if (more.length > 0) violations.push(broken('I5', entry, 'it exists more than once'));
        else if (isAcknowledged(entry.outcome)) {
            const { data } = entry.outcome;
            const [revocation] = revocations.get(String(data['key_id'])) ?? [];
            violations.push(...(await checkKey({ entry, data, row, revocation, actor, api })));
        } else if (row && row['active'] !== true) violations.push(broken('I3', entry, 'it exists, but is not active'));
    }
    if (rows.length !== total) {
        violations.push({ invariant: 'I4', text: `a list of ${rows.length} keys says total ${total}` });
    }
    const names = new Set(made.map(({ intent }) => intent.name));
    const strange = rows.filter(({ name, key_id }) => !names.has(String(name)) && key_id !== actor.key.keyId).length;
    if (strange > 0) violations.push({ invariant: 'I4', text: `${strange} listed keys were never requested` });
    return { violations, counts: { api_keys_active: rows.filter(({ active }) => active === true).length } };
}

/** Repeats a revocation that was not acknowledged, as its answer asks: some gateways may not know it yet. */
async function repeatRevocation(
    attempts: ReadonlyArray<EntryOf<'revoke-key'>>,
    actor: Actor,
    api: Reader,
): Promise<Violation[]> {
    const [first] = attempts;
    if (!first || attempts.some(({ outcome }) => isAcknowledged(outcome))) return [];
    const path = `/v1/keys/${first.intent.keyId}`;
    const { status } = await api.ask({ method: 'DELETE', path, token: actor.token });
    return status === 200 ? [] : [broken('I3', first, `its repetition is answered with ${status}`)];
}

async function checkKey(options: {
    entry: EntryOf<'make-key'>;
    data: Data;
    row: Data | undefined;
    revocation: EntryOf<'revoke-key'> | undefined;
    actor: Actor;
    api: Reader;
}): Promise<Violation[]> {
    const { entry, data, row, revocation, actor, api } = options;
    if (!row) return [lost(entry, 'it is not in the list of keys')];
    const other = differences(data, row, FIELDS);
    if (other.length > 0) return [lost(entry, `the list has another ${other.join(', ')}`)];
    const uses = await api.askAll({ method: 'GET', path: `/v1/did/${actor.did}`, token: String(data['api_key']) });
    const works = uses.map(({ status }) => status === 200);
    if (revocation) {
        if (row['active'] !== false) return [notInForce(revocation, 'the list shows the key as active')];
        return works.includes(true) ? [notInForce(revocation, 'a gateway accepts the key')] : [];
    }
    return row['active'] !== true || works.includes(false) ? [lost(entry, 'the key does not work')] : [];
}

/** Checks that each acknowledged revocation is in force on every gateway. */
export async function checkRevokedKeysHold(actor: Actor, journal: Journal, api: Reader): Promise<Violation[]> {
    const secrets = new Map(
        journal.of(actor.index, 'make-key').map(({ outcome }) => {
            const data: Data = isAcknowledged(outcome) ? outcome.data : {};
            return [String(data['key_id']), String(data['api_key'])];
        }),
    );
    const violations: Violation[] = [];
    for (const entry of journal.of(actor.index, 'revoke-key').filter(({ outcome }) => isAcknowledged(outcome))) {
        const token = secrets.get(entry.intent.keyId) ?? '';
        const uses = await api.askAll({ method: 'GET', path: `/v1/did/${actor.did}`, token });
        if (uses.some(({ status }) => status !== 401))
            violations.push(broken('I5', entry, 'a gateway accepts the key'));
    }
    return violations;
}
