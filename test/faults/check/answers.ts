import { isAcknowledged } from '../load/calls.ts';
import type { Entry, Journal } from '../load/journal.ts';
import { broken, notInForce, type Violation } from './violation.ts';

/**
 * A request has 10 s. What takes twice as long was not ended by its time limit, on however busy a machine, in milliseconds; the
 * run holds answers to less than that as a target.
 */
const LONGEST_MS = 20_000;
/** The fields by which the answers of each kind of write name what was made. */
const IDS = ['credential_id', 'presentation_id', 'wallet_id', 'key_id', 'user_id', 'refresh_token'];

/**
 * Whether every answer was a documented one and came in time; what has ended stays so, while the fault lasts too.
 * `mayLose`: processes that answer were killed, so that connections to them are lost.
 */
export function checkAnswers(journal: Journal, { mayLose }: { mayLose: boolean }): Violation[] {
    return journal.entries.flatMap((entry) => {
        const { outcome, intent } = entry;
        if (!outcome) return [broken('I6', entry, 'it has no outcome')];
        if (outcome.tookMs > LONGEST_MS) return [broken('I6', entry, `it took ${Math.round(outcome.tookMs)} ms`)];
        if ('lost' in outcome) return mayLose ? [] : [broken('I6', entry, `no answer: ${outcome.lost}`)];
        const isLook = intent.kind === 'use-revoked-key' || intent.kind === 'use-ended-session';
        if (outcome.status < 300) return isLook ? [notInForce(entry, 'a gateway accepted it')] : [];
        if (isLook && outcome.status === 401) return [];
        if (outcome.status !== 503 && outcome.status !== 429) {
            return [broken('I6', entry, `it was answered with ${outcome.status} (${outcome.code})`)];
        }
        return outcome.hasRetryAfter ? [] : [broken('I6', entry, `${outcome.status} without Retry-After`)];
    });
}

/** Whether two acknowledged writes were given the same id. */
export function checkIds(journal: Journal): Violation[] {
    const seen = new Map<string, Entry>();
    const violations: Violation[] = [];
    for (const entry of journal.entries) {
        if (!isAcknowledged(entry.outcome) || !MAKING.has(entry.intent.kind)) continue;
        const { data } = entry.outcome;
        const made = IDS.find((name) => data[name] !== undefined);
        const id = made && `${made} ${data[made]}`;
        if (id === undefined) continue;
        const other = seen.get(id);
        if (other) violations.push(broken('I5', entry, `it was given the id of entry ${other.number}`));
        seen.set(id, entry);
    }
    return violations;
}

const MAKING: ReadonlySet<string> = new Set(['register', 'make-key', 'issue', 'present', 'make-wallet', 'refresh']);
