import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Observed } from './observe.ts';
import { IS_WHOLE } from './target.ts';
import { assertUnharmed, GROWTH_BYTES } from './verdict.ts';

/** Parts of the attacks in which many connections do the same thing at the same moment. */

/** The 99th percentile (ms) of an ordinary client's waits during an attack, on two cores that the attacker also uses. */
const MAX_WAIT_MS = 1_000;

/** The number of connections that an attack opens: `npm run test:full` opens a tenth as many. */
export const scale = (count: number): number => (IS_WHOLE ? count : Math.ceil(count / 10));

export function checkMany(observed: Observed, sentBytes: number, what: string): void {
    assertUnharmed(what, observed, { sentBytes, growthBytes: GROWTH_BYTES.many });
    if (!IS_WHOLE) return;
    const { p99 } = observed.client;
    assert.ok(p99 <= MAX_WAIT_MS, `${what}: an ordinary client waited for ${p99.toFixed(0)} ms (p99)`);
}

/** Sends `text` on all connections at the same moment, and closes them after `waitMs`. */
export async function sendTogether(sockets: readonly Socket[], text: string, waitMs: number): Promise<void> {
    for (const socket of sockets) socket.resume().write(text);
    await delay(waitMs);
    for (const socket of sockets) socket.destroy();
}
