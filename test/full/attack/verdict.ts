import assert from 'node:assert/strict';
import type { Observed } from './observe.ts';
import { IS_WHOLE } from './target.ts';

/** The process may grow by this many times the bytes that the attack sends, plus GROWTH_BYTES. */
const TIMES_SENT = 4;
/** Further growth allowed to one request and to many at once, which fill the young generation of V8's heap. */
export const GROWTH_BYTES = { single: 32 << 20, many: 150 << 20 };

/**
 * Asserts that the process survived the attack and served the ordinary client. `npm run proof -- attack`, which needs
 * an otherwise idle machine, also prints the figures and compares the growth of memory with the bytes sent.
 */
export function assertUnharmed(
    what: string,
    observed: Observed,
    attack: { sentBytes: number; growthBytes: number },
): void {
    assert.ok(observed.survived, `${what}: the process did not survive`);
    assert.deepEqual(observed.client.failures, [], `${what}: calls of an ordinary client failed`);
    if (!IS_WHOLE) return;
    console.log(
        `${what}: p99 ${observed.client.p99.toFixed(1)} ms, longest ${observed.client.longest.toFixed(1)} ms, ` +
            `delays over 50 ms ${observed.longDelays}, grown by ${(observed.grownBytes / 2 ** 20).toFixed(0)} MiB`,
    );
    const most = TIMES_SENT * attack.sentBytes + attack.growthBytes;
    assert.ok(observed.grownBytes <= most, `${what}: memory grew by ${observed.grownBytes} bytes`);
}

/** Asserts, only in `npm run proof -- attack`, that no event loop delay was longer than a single request may cause. */
export function assertNeverBlocked(what: string, observed: Observed): void {
    if (IS_WHOLE) assert.equal(observed.longDelays, 0, `${what}: the event loop was blocked`);
}
