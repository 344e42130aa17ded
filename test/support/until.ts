import assert from 'node:assert/strict';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** Resolves when `holds` returns true. Fails after `timeoutMs`, which is long enough for a busy machine. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const giveUp = performance.now() + timeoutMs;
    while (!(await holds())) {
        assert.ok(performance.now() < giveUp, `timed out waiting until ${what}`);
        await delay(50);
    }
}

/** Resolves in the next millisecond of the clock. Ids (UUIDv7) of one millisecond are in no order. */
export async function nextMillisecond(): Promise<void> {
    const now = Date.now();
    while (Date.now() === now) await nextTurn();
}
