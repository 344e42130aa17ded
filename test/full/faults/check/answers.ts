import { isAcknowledged } from '../load/calls.ts';
import type { Entry, Journal } from '../load/journal.ts';
import { broken, notInForce, type Violation } from './violation.ts';

/**
 * An answer that takes longer than this (ms) breaks I6. The deadline of a request is 10 s, so an answer after twice
 * that time was not ended by the deadline, even on a busy machine. A shorter time is a target of the run.
 */
const LONGEST_MS = 20_000;
/** The fields of answers that contain the id of a created object. */
const IDS = ['credential_id', 'presentation_id', 'wallet_id', 'key_id', 'user_id', 'refresh_token'];

/**
 * Returns the answers that were undocumented, late or missing, and each use of a revoked key or ended session that a
 * gateway accepted. `mayLose` allows lost connections, because processes that answer clients were killed.
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

/** Returns the acknowledged writes that were given the id of an earlier write. */
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
