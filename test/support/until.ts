import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when `holds` returns true. Fails after `timeoutMs`, which is long enough for a busy machine. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const giveUp = performance.now() + timeoutMs;
    while (!(await holds())) {
        assert.ok(performance.now() < giveUp, `timed out waiting until ${what}`);
        await delay(50);
    }
}
