import assert from 'node:assert/strict';
import type { Observed } from './observe.ts';
import { IS_WHOLE } from './target.ts';

/** How much the process may grow: this many times the bytes that the attack sends, and some bytes more. */
const TIMES_SENT = 4;
/** What one request may add to that, and what many at once may: they fill the young generation of V8's heap. */
export const GROWTH_BYTES = { single: 32 << 20, many: 150 << 20 };

/**
 * The process survived the attack and served the ordinary client. `npm run attack`, on a machine that is quiet otherwise,
 * also compares its memory with the bytes sent, and prints the figures.
 */
export function assertUnharmed(
    what: string,
    observed: Observed,
    attack: { sent_bytes: number; growth_bytes: number },
): void {
    assert.ok(observed.survived, `${what}: the process did not survive`);
    assert.equal(observed.client.failed, 0, `${what}: calls of an ordinary client failed`);
    if (!IS_WHOLE) return;
    console.log(
        `${what}: p99 ${observed.client.p99.toFixed(1)} ms, longest ${observed.client.longest.toFixed(1)} ms, ` +
            `delays over 50 ms ${observed.long_delays}, grown by ${(observed.grown.most / 2 ** 20).toFixed(0)} MiB`,
    );
    const most = TIMES_SENT * attack.sent_bytes + attack.growth_bytes;
    assert.ok(observed.grown.most <= most, `${what}: memory grew by ${observed.grown.most} bytes`);
}

/** On a quiet machine, no turn of the event loop took longer than a single request may. */
export function assertNeverBlocked(what: string, observed: Observed): void {
    if (IS_WHOLE) assert.equal(observed.long_delays, 0, `${what}: the event loop was blocked`);
}
