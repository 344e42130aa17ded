import type { Entry } from '../load/journal.ts';

/** I1 to I7: docs/reliability.md. */
export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7';

export interface Violation {
    invariant: Invariant;
    /** What is wrong, and of which entry of the journal. */
    text: string;
    /** The acknowledged write that is not there or not in force; absent where none is lost. */
    lost?: number;
}

/** An acknowledged write that cannot be read back as it was answered. */
export function lost(entry: Entry, text: string): Violation {
    return { invariant: 'I1', text: `${describe(entry)}: ${text}`, lost: entry.number };
}

/** An acknowledged end that is not in force. */
export function notInForce(entry: Entry, text: string): Violation {
    return { invariant: 'I2', text: `${describe(entry)}: ${text}`, lost: entry.number };
}

export function broken(invariant: Invariant, entry: Entry, text: string): Violation {
    return { invariant, text: `${describe(entry)}: ${text}` };
}

/** Names an entry without the secrets in it. */
function describe({ number, actor, intent }: Entry): string {
    return `entry ${number} (${intent.kind} of client ${actor})`;
}

/** The names of those fields of `answered` that `read` has otherwise. */
export function differences(
    answered: Record<string, unknown>,
    read: Record<string, unknown>,
    fields: readonly string[],
): string[] {
    return fields.filter((field) => JSON.stringify(answered[field]) !== JSON.stringify(read[field]));
}
