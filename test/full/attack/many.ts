import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Observed } from './observe.ts';
import { IS_WHOLE } from './target.ts';
import { assertUnharmed, GROWTH_BYTES } from './verdict.ts';

/** Parts of the attacks in which many connections do the same thing at the same moment. */

/** Longest time (ms) that an ordinary client may wait during an attack, on two cores that the attacker also uses. */
const LONGEST_WAIT_MS = 350;

/** The number of connections that an attack opens: `npm run test:full` opens a tenth as many. */
export const scale = (count: number): number => (IS_WHOLE ? count : Math.ceil(count / 10));

export function checkMany(observed: Observed, sentBytes: number, what: string): void {
    assertUnharmed(what, observed, { sentBytes, growthBytes: GROWTH_BYTES.many });
    if (!IS_WHOLE) return;
    const { longest } = observed.client;
    assert.ok(longest <= LONGEST_WAIT_MS, `${what}: an ordinary client waited for ${longest.toFixed(0)} ms`);
}

/** Sends `text` on all connections at the same moment, and closes them after `waitMs`. */
export async function sendTogether(sockets: readonly Socket[], text: string, waitMs: number): Promise<void> {
    for (const socket of sockets) socket.resume().write(text);
    await delay(waitMs);
    for (const socket of sockets) socket.destroy();
}
