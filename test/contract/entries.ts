import assert from 'node:assert/strict';

/** Fails unless both lists have the same entries, in any order. `place` names the file and the part of it to edit. */
export function assertEntries(found: readonly string[], expected: readonly string[], place: string): void {
    const missing = expected.filter((entry) => !found.includes(entry));
    const unknown = found.filter((entry) => !expected.includes(entry));
    const steps = [
        ...(missing.length > 0 ? [`add ${missing.join(', ')}`] : []),
        ...(unknown.length > 0 ? [`remove ${unknown.join(', ')}`] : []),
    ];
    assert.ok(steps.length === 0, `${place}: ${steps.join('; ')}`);
}
