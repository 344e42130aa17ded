import type { Actor } from '../load/actor.ts';
import { type Answer, type Data, isAcknowledged } from '../load/calls.ts';
import type { EntryOf, Journal } from '../load/journal.ts';
import type { Reader } from './reader.ts';
import { broken, differences, lost, notInForce, type Violation } from './violation.ts';

interface FoundWallets {
    violations: Violation[];
    /** Number of credentials in the wallets that could be opened. */
    stored: number;
}

type Write = EntryOf<'store'> | EntryOf<'remove'>;

/** Opens each acknowledged wallet, and compares its content with the credentials stored in it and removed from it. */
export async function checkWallets(actor: Actor, journal: Journal, api: Reader): Promise<FoundWallets> {
    const found: FoundWallets = { violations: [], stored: 0 };
    const writes = [...journal.of(actor.index, 'store'), ...journal.of(actor.index, 'remove')];
    writes.sort((a, b) => a.number - b.number);
    const byWallet = Map.groupBy<string, Write>(writes, ({ intent }) => intent.walletId);
    for (const entry of journal.of(actor.index, 'make-wallet')) {
        if (!isAcknowledged(entry.outcome)) continue;
        const { data } = entry.outcome;
        const walletId = String(data['wallet_id']);
        const opened = await open(walletId, entry.intent.password, actor, api);
        if (opened.status !== 200) {
            found.violations.push(lost(entry, `opening it is answered with ${opened.status}`));
            continue;
        }
        const other = differences(data, opened.data, ['wallet_id', 'name', 'did', 'public_key', 'created_at']);
        if (other.length > 0) found.violations.push(lost(entry, `it has another ${other.join(', ')}`));
        const rows = opened.data['credentials'] as Data[]; // its documented type
        found.stored += rows.length;
        found.violations.push(...compare(byWallet.get(walletId) ?? [], rows));
        found.violations.push(...(await compareList(entry, rows, actor, api)));
    }
    return found;
}

function open(walletId: string, password: string, { key }: Actor, api: Reader): Promise<Answer> {
    const body = { wallet_id: walletId, password };
    return api.ask({ method: 'POST', path: '/v1/wallets/open', token: key.secret, body });
}

function compare(writes: readonly Write[], rows: readonly Data[]): Violation[] {
    const byCredential = Map.groupBy(writes, ({ intent }) => intent.credentialId);
    const known = rows.filter((row) => byCredential.has(String(row['credential_id'])));
    const violations: Violation[] = [];
    if (known.length < rows.length) {
        violations.push({ invariant: 'I4', text: 'a wallet contains credentials that no client stored in it' });
    }
    for (const [id, own] of byCredential) {
        const found = known.filter((row) => row['credential_id'] === id);
        violations.push(...compareOne(own, found));
    }
    return violations;
}

/** Checks one credential of a wallet. The load stores each credential once, and may remove it later. */
function compareOne(own: readonly Write[], [row, ...more]: readonly Data[]): Violation[] {
    const stored = own.find((write): write is EntryOf<'store'> => write.intent.kind === 'store');
    const removals = own.filter(({ intent }) => intent.kind === 'remove');
    const removed = removals.find(({ outcome }) => isAcknowledged(outcome));
    if (!stored) return [];
    if (more.length > 0) return [broken('I5', stored, 'it exists more than once')];
    if (removed) return row ? [notInForce(removed, 'the credential is still in the wallet')] : [];
    if (!row) {
        const isLost = isAcknowledged(stored.outcome) && removals.length === 0;
        return isLost ? [lost(stored, 'the credential is not in the wallet')] : [];
    }
    if (row['credential'] !== stored.intent.token) return [broken('I3', stored, 'the wallet has another token')];
    if (!isAcknowledged(stored.outcome)) return [];
    const other = differences(stored.outcome.data, row, ['credential_id', 'credential_type', 'issuer', 'stored_at']);
    return other.length > 0 ? [lost(stored, `the wallet has another ${other.join(', ')}`)] : [];
}

/** Checks that the list of the wallet and its total have as many credentials as the opened wallet. */
async function compareList(
    entry: EntryOf<'make-wallet'>,
    rows: readonly Data[],
    { key }: Actor,
    api: Reader,
): Promise<Violation[]> {
    if (!isAcknowledged(entry.outcome)) return [];
    const query = new URLSearchParams({ password: entry.intent.password });
    const path = `/v1/wallets/${entry.outcome.data['wallet_id']}/credentials?${query}`;
    const { data } = await api.ask({ method: 'GET', path, token: key.secret });
    const listed = (data['credentials'] as Data[] | undefined)?.length; // its documented type
    const agree = listed === rows.length && data['total'] === rows.length;
    return agree ? [] : [broken('I4', entry, `${rows.length} credentials, listed ${listed}, total ${data['total']}`)];
}
