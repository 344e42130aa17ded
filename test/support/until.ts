import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when `holds` does; fails after `patience_ms`, which leaves room for a busy machine. */
export async function until(
    what: string,
    holds: () => boolean | Promise<boolean>,
    patience_ms = 60_000,
): Promise<void> {
    const giveUp = performance.now() + patience_ms;
    while (!(await holds())) {
        assert.ok(performance.now() < giveUp, `it never came true that ${what}`);
        await delay(50);
    }
}
