import type { Entry } from '../load/journal.ts';

/** The invariants I1 to I7 of docs/reliability.md. */
export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7';

export interface Violation {
    invariant: Invariant;
    /** What is wrong, and with which entry of the journal. */
    text: string;
    /** Number of the acknowledged write that is missing or not in force. Undefined if none is lost. */
    lost?: number;
}

/** The violation of an acknowledged write that cannot be read back as it was answered. */
export function lost(entry: Entry, text: string): Violation {
    return { invariant: 'I1', text: `${describe(entry)}: ${text}`, lost: entry.number };
}

/** The violation of an acknowledged revocation, logout, deletion or change of a password that is not in force. */
export function notInForce(entry: Entry, text: string): Violation {
    return { invariant: 'I2', text: `${describe(entry)}: ${text}`, lost: entry.number };
}

export function broken(invariant: Invariant, entry: Entry, text: string): Violation {
    return { invariant, text: `${describe(entry)}: ${text}` };
}

/** Describes an entry without its secrets. */
function describe({ number, actor, intent }: Entry): string {
    return `entry ${number} (${intent.kind} of client ${actor})`;
}

/** Returns the names of the fields that differ between `answered` and `read`. */
export function differences(
    answered: Record<string, unknown>,
    read: Record<string, unknown>,
    fields: readonly string[],
): string[] {
    return fields.filter((field) => JSON.stringify(answered[field]) !== JSON.stringify(read[field]));
}
