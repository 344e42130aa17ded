import { setTimeout as delay } from 'node:timers/promises';
import { newVisitor, visit } from './visits.ts';

/** A process of its own: visits one after the other, at most one in EVERY milliseconds, until the parent says `stop`. */

const EVERY_MS = Number(process.argv[2]);
/** They take turns, so that no account reaches its limit of keys or of calls. */
const VISITORS = 8;

let is_over = false;
process.once('message', () => {
    is_over = true;
});
const visitors = await Promise.all(Array.from({ length: VISITORS }, newVisitor));
const totals = { visits: 0, calls: 0, refused: {} as Record<string, number>, error: undefined as string | undefined };
try {
    while (!is_over) {
        const began = performance.now();
        const visitor = visitors[totals.visits % VISITORS];
        if (!visitor) break;
        const { calls, refused } = await visit(visitor);
        totals.visits++;
        totals.calls += calls;
        for (const status of refused) totals.refused[status] = (totals.refused[status] ?? 0) + 1;
        await delay(Math.max(0, EVERY_MS - (performance.now() - began)));
    }
} catch (error) {
    totals.error = String(error);
}
process.send?.(totals, () => process.exit());
